"""A part of a page: what a tab or a step shows about one question."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.references import FormulaCard
from pages.components import cards, export, say
from pages.components.cards import Metric


def show(
    said: str,
    *formulas: FormulaCard,
    metrics: Sequence[Metric] = (),
    figure: go.Figure | None = None,
    key: str = "",
    alt: str = "",
) -> None:
    """Show cards, a chart with its key and description, a sentence and formulas, as far as they are given."""
    if metrics:
        cards.metric_row(metrics)
    if figure is not None:
        export.chart(figure, key=key, alt=alt)
    say.markdown(said)
    cards.formula_cards(formulas)
