"""From pDP to DP in four steps, one at a time, each with its own number."""

from collections.abc import Callable

from dpcore.exhibits.paper_figures import conversion as study
from dpcore.exhibits.paper_figures import figure as figures
from dpcore.exhibits.paper_figures.conversion import Conversion
from pages.components import cache, cards, controls, part, say
from pages.components.say import md
from pages.components.words import number


def show(others: tuple[int, float, int]) -> None:
    """The steps of the recipe, for columns, noise and seed of the sidebar."""
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
    part.show(
        md(
            "**Start with a randomised algorithm one likes**: one draw from the posterior of a linear regression. As it stands it is "
            "not differentially private: some data set makes a record arbitrarily visible."
        ),
        study.CONVERSION_CARD,
        metrics=[
            cards.Metric("Inverse temperature γ", number(found.gamma)),
            cards.Metric("Regularisation λ", "0"),
            cards.Metric("DP worst case", "no guarantee", help=found.unregularised),
        ],
    )


def _exposure(found: Conversion) -> None:
    part.show(
        md(
            "**Compute its per-instance privacy.** In these data it is private for every record, though it is not in all data. The "
            "number is confidential: noise must not be set by it."
        ),
        study.CONVERSION_CARD,
        metrics=[
            cards.Metric("Median row", f"ε = {number(found.median)}"),
            cards.Metric("Any record, these data", f"ε = {number(found.everyone)}"),
        ],
    )


def _key(found: Conversion) -> None:
    _drawn(
        found,
        md(
            "**Find what the data contribute.** Leverage and residual of any record are bounded by the smallest eigenvalue alone: at "
            "{}, that of these data, no record is above ε = {} at δ/3, in any data.",
            number(found.eigenvalue), number(found.bounded),
        ),
        released=False,
    )  # fmt: skip


def _enforce(found: Conversion) -> None:
    enough = found.lam == 0
    _drawn(
        found,
        md(
            "**Release that quantity with noise, and enforce it where needed.** {} is released; with probability 1 − δ/3 the eigenvalue "
            "exceeds {}, and {} is asked for, so λ = {} is added{}. The sample takes ε = {}, the whole **ε = {} for any data**.",
            number(found.released), number(found.secured), number(found.target), number(found.lam),
            ": nothing, these data are good enough" if enough else "", number(found.sample_epsilon), number(found.epsilon),
        ),
        released=True,
    )  # fmt: skip


def _drawn(found: Conversion, said: str, *, released: bool) -> None:
    figure = figures.conversion_figure(found, cards.theme_mode(), released=released)
    alt = "Epsilon of the worst record against the smallest eigenvalue"
    part.show(said, study.CONVERSION_CARD, figure=figure, key="pf_conversion", alt=alt)
