"""The controls and contents of the page Errata."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.errata import ERRATA, SOURCES, Erratum, Numbers, Sweep, numbers_of, sweep_of
from dpcore.exhibits.errata.changes import coloured
from dpcore.exhibits.errata.figure import erratum_figure
from dpcore.exhibits.errata.view import Mark
from dpcore.mechanisms import Parameter
from dpcore.references import FormulaCard
from pages.components import cache, cards, controls, say, screen, state
from pages.components.charts import Chart, place
from pages.components.say import md, own
from pages.components.words import number, programs
from pages.sources.errata import words
from pages.sources.errata.register import ALL

_sentence, _program = say.sentences(__file__), programs(__file__)

_FIRST = "objpert-31-sign"
# Letters of a quantity that the headline names. Doubled, headlines take two lines.
_SHORT = 32
# Number of symbols → the size of a formula with more symbols.
_SIZES = ((34, "\\scriptsize "), (26, "\\footnotesize "), (20, "\\small "), (9, ""), (0, "\\large "))


_PLACES = Counter(record.place for record in ERRATA.values())


def _name(key: str) -> str:
    """The place of a record in its source, with the record's own name where several have the same place."""
    place = ERRATA[key].place
    return place if _PLACES[place] == 1 else f"{place} · {key}"


def _record(asked: Any, key: str) -> str:
    keys = [one for one, record in ERRATA.items() if asked.source in (ALL, record.source)]
    return say.selectbox(
        f"Record ({len(keys)})", keys, index=keys.index(_FIRST) if _FIRST in keys else 0,
        format_func=_name, key=key, former={f"{ERRATA[one].place} · {one}": one for one in keys},
    )  # fmt: skip


def _first(asked: Any, key: str) -> float:
    """The slider of the first parameter, which is the horizontal axis of the picture."""
    return _slider(asked.key, ERRATA[asked.key].parameters[0])


def _others(asked: Any, key: str) -> tuple[float, ...]:
    """A slider for each further parameter of the record."""
    return tuple(_slider(asked.key, one) for one in ERRATA[asked.key].parameters[1:])


def _slider(record: str, of: Parameter) -> float:
    return float(controls.parameter_control(of, key=f"er_{record}_{of.name}"))


@dataclass(frozen=True)
class Chosen:
    """A record at the reader's parameters, with its numbers there and along the first parameter."""

    source: str = state.one_of("Source", {ALL: "All sources", **SOURCES}, ALL, menu=True)
    key: str = state.control(_FIRST, _record, key="record")
    first: float = state.control(ERRATA[_FIRST].parameters[0].default, _first)
    others: tuple[float, ...] = state.control((), _others)

    @property
    def values(self) -> tuple[tuple[str, float], ...]:
        """The parameters by name."""
        names = (one.name for one in self.record.parameters)
        return tuple(zip(names, (self.first, *self.others), strict=True))

    @property
    def record(self) -> Erratum:
        return ERRATA[self.key]

    @property
    def wording(self) -> words.Wording:
        return words.of(self.record)

    @property
    def numbers(self) -> Numbers:
        return cache.shared(numbers_of, self.key, self.values)

    @property
    def sweep(self) -> Sweep:
        return cache.shared(sweep_of, self.key, self.values)


def headline(shown: Chosen) -> str:
    """The printed number and the computed one; of a library by its name, since both are its ε."""
    printed, computed = _both(shown)
    quantity, place = shown.record.quantity, shown.record.place
    if shown.record.source == words.LIBRARIES and quantity.startswith("ε"):
        return f"{place.partition(',')[0]}: ε {printed}, {computed}"
    if shown.record.parameters[0].name == "epsilon":
        quantity = quantity.replace("(ε)", f"({number(shown.first)})")
    said = quantity if len(quantity) <= _SHORT else place
    first = said[:1].upper() if said.isascii() else said[:1]  # δ would become Δ
    return f"{first}{said[1:]}: {printed}, {computed}"


def _both(shown: Chosen) -> tuple[str, str]:
    """The printed and the computed number in words."""
    found = shown.numbers
    printed, computed = (words.shown(one, found) for one in (found.printed, found.computed))
    first, second = shown.wording.short
    return f"{first} {printed}", f"{second} {computed}"


def metrics(shown: Chosen) -> list[cards.Metric]:
    """The three numbers as cards, with words for the kind of erratum."""
    record, found, wording = shown.record, shown.numbers, shown.wording
    printed, wrong = words.of_printed(record, found)
    return [
        cards.Metric(wording.printed, words.shown(found.printed, found), printed, worse=True if wrong else None, arrow=False),
        cards.Metric(wording.corrected, words.shown(found.corrected, found), words.of_corrected(record, found), worse=False,
                     arrow=False),
        cards.Metric(wording.computed, words.shown(found.computed, found), "by neither formula", help=f"By {record.how}."),
    ]  # fmt: skip


def _symbols(latex: str) -> int:
    """The approximate width of a formula in symbols: a command counts as one; braces, `_` and `^` do not count."""
    plain = re.sub(
        r"\\(?:text|mathrm|mathcal|mathbb|tfrac|frac|quad|big|Big|left|right|tilde|hat)(?![a-zA-Z])", "", latex
    )
    return len(re.sub(r"\\[a-zA-Z]+ ?|\\.", "x", plain).translate({ord(mark): None for mark in "{}^_ "}))


def place_of(shown: Chosen) -> None:
    """Show the place of the statement and what is wrong with it."""
    record = shown.record
    kind, place = md(":orange-badge[{}]", record.kind.value.capitalize()), f"{SOURCES[record.source]}: {record.place}"
    say.markdown(md("**{}** {}", record.place if record.source == words.LIBRARIES else place, kind))


def body(shown: Chosen) -> list[Chart]:
    """Show the printed and the corrected statement, and a chart of the three numbers along the first parameter."""
    record, wording = shown.record, shown.wording
    names = (wording.printed, wording.corrected, wording.computed)
    values = shown.numbers.printed, shown.numbers.computed
    marks = tuple(Mark(value, said) for value, said in zip(values, _both(shown), strict=True))
    chart = Chart(
        "Erratum",
        lambda: erratum_figure(shown.sweep, record.quantity, shown.first, cards.theme_mode(), names=names, marks=marks),
        f"{record.quantity}: {names[0]} (dashed), {names[1]} (solid), {names[2]} (rings)", "er_chart",
    )  # fmt: skip
    if screen.size() == "phone":
        drawn, said = st.container(), st.container()
    else:
        said, drawn = st.columns([2, 3], gap="small", vertical_alignment="center")
    with said:
        sign = "check" if wording.printed_holds else "close"
        latex = coloured(record.printed_latex, record.corrected_latex, cards.theme_mode())
        _statement(md(":orange[:material/{}: **{}**]", sign, wording.printed), latex[0], record.printed_latex)
        _statement(md(":blue[:material/check: **{}**]", wording.corrected), latex[1], record.corrected_latex)
        if record.source == words.LIBRARIES:
            say.caption(record.matters)
    with drawn:
        place(chart)
    return [chart]


def _statement(heading: str, latex: str, plain: str) -> None:
    size = next((size for symbols, size in _SIZES if _symbols(plain) > symbols), "")
    with st.container(border=True):
        say.markdown(heading)
        say.latex(own(size + latex))


def data(shown: Chosen) -> pd.DataFrame:
    """The data behind the chart."""
    sweep = shown.sweep
    columns = {"printed": sweep.printed, "corrected": sweep.corrected, "computed": sweep.computed}
    return pd.DataFrame({sweep.parameter.name: sweep.x} | columns)


def notes(shown: Chosen) -> list[str]:
    """Sentences on the consequence here, on where it matters, and on what is compared."""
    record = shown.record
    return [
        md("**Consequence here.** {}", record.sentence(shown.numbers)),
        md("**Where it matters.** {}", record.matters),
        _sentence("what_compared", record.quantity, record.how),
        shown.wording.use,
    ]


def formulas(shown: Chosen) -> list[FormulaCard]:
    """The corrected formula with its source."""
    record = shown.record
    return [
        FormulaCard(
            title=f"{SOURCES[record.source]}: {record.place}",
            latex=(record.corrected_latex,),
            symbols=record.explained()[0],
            references=(record.source,),
            code="dpcore.errata.record.Erratum",
        )
    ]


def program(shown: Chosen) -> str:
    """The program that computes the numbers."""
    arguments = ", ".join(f"{name}={value:g}" for name, value in shown.values)
    return _program("record", key=shown.key, arguments=arguments)
