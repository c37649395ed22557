"""Cards of the simulations of the noise-augmentation page."""

import math

from dpcore.exhibits.noise_augmentation import simulation
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import number
from pages.sources.noise_augmentation.state import AugmentationView


def metrics(state: AugmentationView, summary: simulation.Summary | None) -> list[Metric]:
    """What the finished part says at the largest ε."""
    if summary is None:
        return [
            Metric("Finished repeats", "0"),
            Metric("Methods", str(len(simulation.COMPARED)), "all at each Λ and ε"),
            Metric("Noise", "Gaussian, Eq. (4)" if state.delta else "spherical Laplace"),
        ]
    top = max(summary.epsilons)
    at, failed = f"ε = {number(top)}", f"{summary.failed} fits failed" if summary.failed else None
    finished = Metric("Finished repeats", str(summary.repeats), failed)
    if state.figure == "distance":
        apart = {name: float(max(summary.of(name, "distance to lasso", top))) for name in ("MOOR, b = 0", "sum, b = 0")}
        return [
            finished,
            *(Metric(f"Largest distance, {name.split(',')[0]}", number(value), f"at {at}") for name, value in apart.items()),
            Metric("Guarantee", "none", "no noise: the regulariser alone"),
        ]  # fmt: skip
    if state.figure == "retrieval":
        shares = {name: filter(math.isfinite, summary.of(name, "retrieved", top)) for name in ("NAPP", "VS", "VS+")}
        return [
            finished,
            *(Metric(md("Most retrieved, {}", name), number(max(found, default=0.0)), f"of (1 − r)ε, {at}")
              for name, found in shares.items()),
        ]  # fmt: skip
    lasso, napp, plus = (
        number(float(min(summary.of(name, "prediction error", top)))) for name in ("lasso", "NAPP", "VS+")
    )
    return [
        finished,
        Metric(f"Least error, NAPP, {at}", napp, f"lasso {lasso}"),
        Metric(md("Least error, VS+"), plus, f"lasso {lasso}"),
        Metric("Guarantee of all of them", "claimed, refuted", help="See the view 'Is this private?'"),
    ]
