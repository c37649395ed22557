"""Cards of the simulations of the noise-augmentation page."""

import math
from collections.abc import Callable

from dpcore.exhibits.noise_augmentation import simulation
from dpcore.exhibits.noise_augmentation.claims import area_under
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import number
from pages.sources.noise_augmentation.state import VIEWS, AugmentationView

_NOISELESS = ("MOOR, b = 0", "sum, b = 0")


def metrics(state: AugmentationView, summary: simulation.Summary | None) -> list[Metric]:
    """Cards with the scores of the finished repeats at the largest ε."""
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
        apart = {name: float(max(summary.of(name, "distance to lasso", top))) for name in _NOISELESS}
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


def headline(state: AugmentationView, summary: simulation.Summary | None) -> str:
    """The finding of the chosen figure so far, at the ε shown or else at the largest ε."""
    if summary is None:
        return VIEWS["study"]
    epsilon = state.show if state.show in summary.epsilons and state.figure != "budget" else max(summary.epsilons)
    at = f"At ε = {number(epsilon)}"
    if state.figure == "distance":
        moor, both = (number(_end(summary, name, "distance to lasso", epsilon, max)) for name in _NOISELESS)
        return f"Without noise MOOR ends at most {moor} from the lasso, the sum {both}"
    if state.figure == "retrieval":
        share = _end(summary, "VS+", "retrieved", epsilon, max)
        return f"{at} up to {100 * share:.0f} % of what VS+ may take back is there"
    if state.figure == "selection" and state.simulated:
        found, free = (area_under(summary, name, epsilon) for name in ("VS+", "lasso"))
        return f"{at} VS+ selects with area {number(found)} under its curve, the lasso with {number(free)}"
    names = ("NAPP", "NAPP, recycled") if state.figure == "recycling" else ("NAPP", "lasso")
    found, other = (number(_end(summary, name, "prediction error", epsilon, min)) for name in names)
    beside = "recycled" if state.figure == "recycling" else "without noise"
    return f"{at} the least error of NAPP is {found}, {beside} {other}"


def _end(summary: simulation.Summary, name: str, score: str, epsilon: float, end: Callable[..., float]) -> float:
    """The largest or smallest finite score over Λ (`end` is `max` or `min`); NaN if there is none."""
    return float(end(filter(math.isfinite, summary.of(name, score, epsilon)), default=math.nan))
