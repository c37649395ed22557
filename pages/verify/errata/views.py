"""Controls, metrics, chart and words of the errata page."""

import re

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.errata import ERRATA, SOURCES, Erratum, Numbers, numbers_of, sweep_of
from dpcore.exhibits.errata.figure import erratum_figure
from dpcore.references import FormulaCard
from pages.components import cache, cards, controls, export, say
from pages.components.say import md, own
from pages.verify.errata import words
from pages.verify.errata.register import ALL

_FIRST = "objpert-31-sign"
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
    )  # fmt: skip
    keys = [key for key, record in ERRATA.items() if source in (ALL, record.source)]
    picked = say.selectbox(
        f"Record ({len(keys)})", keys, index=keys.index(_FIRST) if _FIRST in keys else 0,
        format_func=lambda key: f"{ERRATA[key].place} · {key}", key="er_record",
    )  # fmt: skip
    return ERRATA[picked]


def parameters(record: Erratum) -> tuple[tuple[str, float], ...]:
    """A slider for each parameter of the record."""
    return tuple(
        (p.name, float(controls.parameter_control(p, key=f"er_{record.key}_{p.name}"))) for p in record.parameters
    )


def title(record: Erratum) -> None:
    """Where it stands, and what is wrong with it."""
    say.subheader(f"{SOURCES[record.source]}: {record.place}", anchor=False)
    say.markdown(md(":orange-badge[{}]", record.kind.value.capitalize()))


def demonstrate(record: Erratum, values: tuple[tuple[str, float], ...]) -> Numbers:
    """The three numbers, as metrics that fit what is wrong."""
    found = cache.shared(numbers_of, record.key, values)
    wording = words.WORDINGS[record.kind]
    printed, wrong = words.of_printed(record, found)
    corrected = words.of_corrected(record, found)
    cards.metric_row(
        [
            cards.Metric(
                wording.printed, words.shown(found.printed, found), printed, worse=True if wrong else None, arrow=False
            ),
            cards.Metric(wording.corrected, words.shown(found.corrected, found), corrected, worse=False, arrow=False),
            cards.Metric(
                wording.computed, words.shown(found.computed, found), "by neither formula", help=f"By {record.how}."
            ),
        ]
    )
    say.caption(wording.relation.format(record.quantity))
    return found


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
    named = words.WORDINGS[record.kind]
    with left:
        say.markdown(md(":material/{}: **{}**", "check" if named.printed_holds else "close", named.printed))
        say.latex(own(record.printed_latex))
    with right:
        say.markdown(md(":material/check: **{}**", named.corrected))
        say.latex(own(record.corrected_latex))


def chart(record: Erratum, values: tuple[tuple[str, float], ...]) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The three numbers along the first parameter."""
    sweep = cache.shared(sweep_of, record.key, values)
    wording = words.WORDINGS[record.kind]
    names = (wording.printed, wording.corrected, wording.computed)
    fig = erratum_figure(sweep, record.quantity, values[0][1], cards.theme_mode(), names=names)
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
        words.WORDINGS[record.kind].use,
    ]


def card(record: Erratum) -> FormulaCard:
    """The corrected formula with its source."""
    return FormulaCard(
        title=f"{SOURCES[record.source]}: {record.place}",
        latex=(record.corrected_latex,),
        symbols=record.explained()[0],
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
        "numbers.printed, numbers.corrected, numbers.computed\n"
        "record.sentence(numbers)"
    )
