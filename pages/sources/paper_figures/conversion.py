"""From per-instance DP (pDP) to DP in four steps, shown one at a time, each with its number."""

from collections.abc import Callable

from dpcore.exhibits.paper_figures import conversion as study
from dpcore.exhibits.paper_figures import figure as figures
from dpcore.exhibits.paper_figures.conversion import Conversion
from pages.components import cache, cards, controls, part, say
from pages.components.words import number

_sentence = say.sentences(__file__)


def show(others: tuple[int, float, int]) -> None:
    """Show the steps of the recipe, for the columns, noise and seed chosen in the sidebar."""
    steps: dict[str, Callable[[Conversion], None]] = {
        "1 Algorithm": _algorithm, "2 Its pDP": _exposure, "3 Key quantity": _key, "4 Release and enforce": _enforce,
    }  # fmt: skip
    rows = controls.count_slider("Rows of these data", 100_000, 1_000, key="pf_rows")
    epsilon = controls.log_slider("ε to be met", 0.5, 16.0, 4.0, key="pf_target")
    kappa = controls.log_slider("Condition κ that is asked for", 0.1, 10.0, 1.5, key="pf_kappa")
    step = say.segmented_control("Step", list(steps), default="1 Algorithm", required=True, key="pf_step")
    with say.spinner("Taking the four steps", show_time=True):
        found = cache.shared(study.conversion, rows, *others, epsilon, kappa)
    steps[step](found)


def _algorithm(found: Conversion) -> None:
    metrics = [
        cards.Metric("Inverse temperature γ", number(found.gamma)),
        cards.Metric("Regularisation λ", "0"),
        cards.Metric("DP worst case", "no guarantee", help=found.unregularised),
    ]
    part.show(_sentence("algorithm"), study.CONVERSION_CARD, metrics=metrics)


def _exposure(found: Conversion) -> None:
    metrics = [
        cards.Metric("Median row", f"ε = {number(found.median)}"),
        cards.Metric("Any record, these data", f"ε = {number(found.everyone)}"),
    ]
    part.show(_sentence("its_privacy"), study.CONVERSION_CARD, metrics=metrics)


def _key(found: Conversion) -> None:
    _drawn(found, _sentence("key_quantity", found.eigenvalue, found.bounded), released=False)


def _enforce(found: Conversion) -> None:
    enough = ": nothing, these data are good enough" if found.lam == 0 else ""
    _drawn(found, _sentence("release_and_enforce", found, enough), released=True)


def _drawn(found: Conversion, said: str, *, released: bool) -> None:
    figure = figures.conversion_figure(found, cards.theme_mode(), released=released)
    alt = "Epsilon of the worst record against the smallest eigenvalue"
    part.show(said, study.CONVERSION_CARD, figure=figure, key="pf_conversion", alt=alt)
