"""Statistical efficiency by simulation: a private regression against the Cramér–Rao bound as n grows."""

from dpcore.data.names import grouped
from dpcore.errors import DPError
from dpcore.exhibits.paper_figures import figure as paper
from dpcore.exhibits.paper_figures.efficiency import Efficiency, simulate_aggregation, simulate_efficiency
from dpcore.learners import AdaOPS, PosteriorSamplingLearner
from pages.components import cache, cards, controls, export, say

_sentence = say.sentences(__file__)

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
LEARNERS = {
    "AdaOPS": lambda epsilon: AdaOPS(epsilon, 1e-6, kappa=1.5),
    "Posterior sample": lambda epsilon: PosteriorSamplingLearner(epsilon, 1e-6),
}
AGGREGATION = "Subsample and aggregate"
_FORMULAS = {AGGREGATION: "σ²d²/n · m/(m − d − 1) + d(2σ/k)², k = n^0.6 blocks of m rows,"}


def show() -> None:
    """Show the controls, a button, and the chart of the error against n."""
    epsilon = controls.log_slider("ε of the release", 0.5, 16.0, 4.0, key="pf_epsilon")
    name = say.segmented_control("Learner", [*LEARNERS, AGGREGATION], default="AdaOPS", required=True, key="pf_learner")
    say.markdown(_sentence("how_simulated"))
    if not say.toggle("Simulate", key="pf_simulate"):
        return
    found, bar = [], say.progress(0.0, "Simulating")
    for done, size in enumerate(SIZES):
        try:
            found.append(cache.shared(_one, name, epsilon, size))
        except DPError as error:
            say.caption(f"n = {grouped(size)}: {error}")
        say.progress((done + 1) / len(SIZES), f"n = {grouped(size)} done", on=bar)
    bar.empty()
    if not found:
        return
    export.chart(paper.efficiency(found, cards.theme_mode()), key="pf_efficiency", alt="Error against rows")
    formula = _FORMULAS.get(name, "σ² tr(H⁻¹XᵀXH⁻¹) + tr(H⁻¹)/γ + λ²‖H⁻¹θ₀‖²")
    first, last = found[0], found[-1]
    without, predicted = last.not_private / last.cramer_rao, last.predicted / last.cramer_rao
    sizes = grouped(last.n), grouped(first.n)
    say.markdown(_sentence("times_the_bound", *sizes, first, last, without, formula, predicted))


def _one(name: str, epsilon: float, n: int) -> Efficiency:
    if name == AGGREGATION:
        return simulate_aggregation(epsilon, 1e-6, n, repeats=40, rng=0)
    return simulate_efficiency(LEARNERS[name](epsilon), n, repeats=40, rng=0)
