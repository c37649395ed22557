"""The township example: whom noise protects whose size was chosen without a look at the incomes."""

from dpcore.exhibits.paper_figures import figure as figures
from dpcore.exhibits.paper_figures import township as study
from pages.components import cache, cards, controls, part, say
from pages.components.words import number

_sentence = say.sentences(__file__)


def show() -> None:
    """Show the average income of a township, with the exposure of its households and of the richest person."""
    households = controls.count_slider("Households", 2_000, 500, key="pf_households")
    noise = controls.log_slider("Noise, as a share of the median income", 1e-3, 1.0, 0.02, key="pf_income_noise")
    richest = controls.log_slider("Income of the richest person anywhere", 1e6, 1e11, 1e10, key="pf_richest")
    found = cache.shared(study.township, households, noise, richest)
    top = float(found.curve.y[-1])
    part.show(
        _sentence("township", found.residents.max(), "plain from the answer" if top > 5 else "not even told by this noise"),
        study.TOWNSHIP_CARD,
        metrics=[
            cards.Metric("Median household", f"ε = {number(sorted(found.residents)[households // 2])}"),
            cards.Metric("Most exposed household", f"ε = {number(float(found.residents.max()))}"),
            cards.Metric("Richest person anywhere", f"ε = {number(top)}"),
            cards.Metric("DP worst case", "no guarantee", help="Incomes have no bound."),
        ],
        figure=figures.township_figure(found, cards.theme_mode()), key="pf_township", alt="Epsilon against income",
    )  # fmt: skip
