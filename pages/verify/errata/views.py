"""Controls, metrics, chart and words of the errata page."""

import math
import re

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.errata import ERRATA, SOURCES, Erratum, Numbers, numbers_of, sweep_of
from dpcore.figures.errata import erratum_figure
from dpcore.references import FormulaCard
from pages.components import cache, cards, controls, export, say
from pages.components.say import md, own
from pages.components.words import number

ALL = "all"
_LONG = 30  # symbols of a formula that fit into half the page
PRESETS = {
    "One record against MOOR": {"er_source": ALL, "er_record": "napp-claims"},
    "A diabetes row": {"er_source": ALL, "er_record": "pdp-thm14-tail"},
    "Curvature as privacy": {"er_source": ALL, "er_record": "objpert-31-sign"},
    "Vanishing ε": {"er_source": ALL, "er_record": "pdp-prop16-dp"},
}


def choose() -> Erratum:
    """The record picked in the sidebar."""
    source = say.selectbox(
        "Source", [ALL, *SOURCES], format_func=lambda key: SOURCES.get(key, "All sources"), key="er_source",
        bind="query-params", persist_state="session",
    )  # fmt: skip
    keys = [key for key, record in ERRATA.items() if source in (ALL, record.source)]
    picked = say.selectbox(
        f"Record ({len(keys)})", keys, format_func=lambda key: f"{ERRATA[key].place} · {key}", key="er_record",
        bind="query-params", persist_state="session",
    )  # fmt: skip
    return ERRATA[picked]


def parameters(record: Erratum) -> tuple[tuple[str, float], ...]:
    """A slider for each parameter of the record."""
    return tuple(
        (p.name, float(controls.parameter_control(p, key=f"er_{record.key}_{p.name}"))) for p in record.parameters
    )


def demonstrate(record: Erratum, values: tuple[tuple[str, float], ...]) -> Numbers:
    """The three numbers, as metrics."""
    found = cache.shared(numbers_of, record.key, values)
    cards.metric_row(
        [
            cards.Metric(
                "As printed", number(found.printed), _against(found.printed, found.computed), help=record.quantity
            ),
            cards.Metric(
                "Corrected", number(found.corrected), _against(found.corrected, found.computed), help=record.quantity
            ),
            cards.Metric("Computed now", number(found.computed), "by neither formula", help=f"By {record.how}."),
        ]
    )
    say.caption(f"All three are the same quantity: {record.quantity}.")
    return found


def _against(value: float, computed: float) -> str | None:
    if not math.isfinite(value) or value * computed <= 0:
        return None
    if math.isclose(value, computed, rel_tol=5e-3):
        return "as computed"
    return f"{number(value / computed)} × computed"


def _symbols(latex: str) -> int:
    """About how many symbols wide a formula is shown: commands count as one, braces and scripts' marks as none."""
    plain = re.sub(
        r"\\(?:text|mathrm|mathcal|mathbb|tfrac|frac|quad|big|Big|left|right|tilde|hat)(?![a-zA-Z])", "", latex
    )
    return len(re.sub(r"\\[a-zA-Z]+ ?|\\.", "x", plain).translate({ord(mark): None for mark in "{}^_ "}))


def formulas(record: Erratum) -> None:
    """Printed and corrected formula side by side; long ones below each other."""
    wide = max(_symbols(record.printed_latex), _symbols(record.corrected_latex)) > _LONG
    left, right = (
        (st.container(border=True), st.container(border=True)) if wide else st.columns(2, gap="small", border=True)
    )
    with left:
        say.markdown(md(":material/close: **As printed**"))
        say.latex(own(record.printed_latex))
    with right:
        say.markdown(md(":material/check: **Corrected**"))
        say.latex(own(record.corrected_latex))


def chart(record: Erratum, values: tuple[tuple[str, float], ...]) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The three numbers along the first parameter."""
    sweep = cache.shared(sweep_of, record.key, values)
    fig = erratum_figure(sweep, record.quantity, values[0][1], cards.theme_mode())
    export.chart(fig, key="er_chart", alt=f"{record.quantity}: printed, corrected and computed")
    frame = pd.DataFrame(
        {
            sweep.parameter.name: sweep.x,
            "printed": sweep.printed,
            "corrected": sweep.corrected,
            "computed": sweep.computed,
        }
    )
    return {"Erratum": fig}, frame


def observations(record: Erratum, found: Numbers) -> list[str]:
    """Where it matters, what follows, and what the number is."""
    return [
        md("**Consequence here.** {}", record.sentence(found)),
        md("**Where it matters.** {}", record.matters),
        md(
            "**What is compared.** Shown: {}. The third number comes from {}; "
            "it is computed when you move a slider, not stored.",
            record.quantity,
            record.how,
        ),
        "The app computes with the corrected form everywhere; the printed form exists on this page only.",
    ]


def card(record: Erratum) -> FormulaCard:
    """The corrected formula with its source."""
    return FormulaCard(
        title=f"{SOURCES[record.source]}: {record.place}",
        latex=(record.corrected_latex,),
        symbols={p.symbol: p.words for p in record.parameters if p.symbol.isascii() and len(p.symbol) == 1},
        references=(record.source,),
        code="dpcore.errata.record.Erratum",
    )


def program(record: Erratum, values: tuple[tuple[str, float], ...]) -> str:
    """The lines behind the numbers."""
    arguments = ", ".join(f"{name}={value:g}" for name, value in values)
    return (
        "import dpcore as dp\n\n"
        f'record = dp.errata.ERRATA["{record.key}"]\n'
        f"numbers = record.demonstrate({arguments})\n"
        "print(numbers.printed, numbers.corrected, numbers.computed)\n"
        "print(record.sentence(numbers))"
    )


def register() -> pd.DataFrame:
    """All records in one table."""
    return pd.DataFrame(
        [
            {"key": r.key, "source": SOURCES[r.source], "place": r.place, "where it matters": r.matters}
            for r in ERRATA.values()
        ]
    )
