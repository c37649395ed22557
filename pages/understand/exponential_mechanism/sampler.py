"""Both samplers run on the landscape shown, compared with the exact law."""

import pandas as pd

from dpcore.exhibits.exponential_mechanism import figure as figures
from dpcore.exhibits.exponential_mechanism import study as exponential
from pages.components import cards, export, say
from pages.understand.exponential_mechanism.views import ExponentialView

_sentence = say.sentences(__file__)


def sampler(shown: ExponentialView) -> None:
    """Run both samplers on the landscape shown and compare them with the exact law."""
    if shown.view == "finite":
        say.info(_sentence("finite_list"))
        return
    steps = say.select_slider(
        "Steps per chain", [50, 100, 200, 400, 800, 1600], value=200, key="em_steps",
    )  # fmt: skip
    if not say.button("Run both samplers", key="em_run"):
        say.caption(
            "16 chains of each, compared with the density above: R̂, effective draws, distance to the exact law."
        )
        return
    mechanism = shown.mechanism()
    with say.spinner("Sampling"):
        found = exponential.check_samplers(shown.landscape(), mechanism.k, mechanism.mu, steps=steps, seed=shown.seed)
    say.table(
        pd.DataFrame(
            [
                {"sampler": one.name, "R̂": one.rhat, "effective draws": one.effective, "accepted": one.acceptance,
                 "KS distance to the exact law": one.distance, "sampling noise (95 %)": one.noise,
                 "proven TV of the last draw": one.total_variation}
                for one in found
            ]
        ),
        hide_index=True,
    )  # fmt: skip
    exact = exponential.marginal(shown.landscape(), mechanism.k, mechanism.mu)
    histograms = figures.sampler_figure(exact, [one.histogram for one in found], cards.theme_mode())
    export.chart(histograms, key="em_samplers", alt="Histograms of both samplers over the exact density")
    for one in found:
        if one.warning:
            say.warning(f"{one.name}: {one.warning}")
    needed = exponential.steps_needed(shown.landscape(), mechanism.k, mechanism.mu, shown.epsilon, shown.delta)
    say.markdown(_sentence("what_release_needs", needed, shown.delta))
