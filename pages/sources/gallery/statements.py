"""The index of the sources' statements as a table, with details of the chosen row."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.errata import ERRATA, SOURCES
from dpcore.exhibits.gallery import EXHIBITS
from dpcore.references import REFERENCES
from dpcore.statements import STATEMENTS, Entry, index
from pages.components import cache, cards, links, routes, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.sources.gallery import words
from pages.sources.gallery.words import ALL


def leave_for(page: str, state: Mapping[str, Any]) -> None:
    """Leave this page for another one in a given state."""
    links.give(state, leaving=True)
    routes.open_page(page, {})


def entries() -> None:
    """Show one line of links: for each source its first figure or statement, live."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        say.caption("Show me live:", width="content")
        for source, name in words.SHORT.items():
            label, page, state = first(source)
            if say.button(md(":primary[{}]", f"{name}, {label}"), key=f"ga_first_{source}", type="tertiary"):
                leave_for(page, state)


def first(source: str) -> tuple[str, str, Mapping[str, Any]]:
    """The label of a source's button, and the page and state it opens."""
    wanted = words.FIRST[source]
    if wanted in EXHIBITS:
        one = EXHIBITS[wanted]
        return one.number.split(",")[0], one.page, one.state
    (one,) = (one for one in STATEMENTS if (one.source, one.label) == (source, wanted))
    return one.label, one.page, one.state


_KEY = "ga_statements"
_HOW = "A click on a heading sorts; choose a row for its code, errata, tests and page."


@dataclass(frozen=True, eq=False)
class Index:
    """All statements; a click on a heading sorts, a chosen row is shown below."""

    source: str = ALL
    formulas = ()

    @property
    def file(self) -> str:
        return self.source if self.source == ALL else f"statements_{self.source}"

    @property
    def under(self) -> str:
        """A sentence on what the table contains."""
        if self.source == ALL:
            return f"Every numbered statement, table and equation of the five sources, and the sections of lecture 10. {_HOW}"
        return f"{words.READ[self.source]} prints no figure and no table; these are its statements. {_HOW}"

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        with say.spinner("Reading the code"):
            found = cache.shared(index)
        return tuple(one for one in found if self.source in (ALL, one.statement.source))

    def headline(self) -> str:
        """How many statements are computed."""
        computed = sum(bool(entry.code) for entry in self.entries)
        of = "" if self.source == ALL else f" of {words.READ[self.source]}"
        return f"{computed} of {len(self.entries)} statements{of} are computed here"

    def metrics(self) -> list[cards.Metric]:
        """How many statements there are, and how many are corrected, refuted or not computed."""
        standing = Counter(entry.standing for entry in self.entries)
        computed = sum(bool(entry.code) for entry in self.entries)
        return [
            cards.Metric("Statements", f"{len(self.entries)}", f"{computed} computed"),
            cards.Metric("Corrected", f"{standing['corrected']}", "misprints, bounds that fail"),
            cards.Metric("Refuted", f"{standing['refuted']}", "by an attack or a number"),
            cards.Metric("Not computed", f"{standing['not computed']}", "each with a reason"),
        ]

    def draw(self) -> list[Chart]:
        """Show the table and details of the chosen row; there is no figure to export."""
        say.table(self.data(), hide_index=True, height=520, key=_KEY, on_select="rerun", selection_mode="single-row")
        rows = st.session_state[_KEY]["selection"]["rows"] if _KEY in st.session_state else []
        if rows:
            _details(self.entries[rows[0]])
        return []

    def notes(self) -> list[str]:
        """Sentences about the whole index."""
        return words.of_statements(self.entries)

    def program(self) -> str:
        """The program of the index."""
        return words.INDEX

    def data(self) -> pd.DataFrame:
        """One row for each statement."""
        rows = [
            {
                "source": SOURCES[entry.statement.source].rpartition(", ")[0] or SOURCES[entry.statement.source],
                "statement": entry.statement.label,
                "says": entry.statement.says,
                "here": entry.standing,
                "implemented in": ", ".join(code.rpartition(".")[2] for code in entry.code) or entry.statement.why_not,
                "shown on": entry.statement.page.rpartition("/")[2].replace("_", " "),
                "errata": len(entry.errata),
                "test modules": None if entry.tests is None else len(entry.tests),
            }
            for entry in self.entries
        ]
        return pd.DataFrame(rows)

    def further(self) -> dict[str, Callable[[], object] | None]:
        """No tabs for formulas and data, since the table above has the data."""
        return {"Formula": None, "Data": None}


def _details(entry: Entry) -> None:
    statement = entry.statement
    say.markdown(md("**{}**, {}: {}.", statement.label, REFERENCES[statement.source].text.rstrip("."), statement.says))
    if entry.code:
        say.markdown(md("Implemented in {}.", md(", ").join(md("`{}`", code) for code in entry.code)))
    else:
        say.markdown(md("Nothing implements it: {}.", statement.why_not))
    for key in entry.errata:
        record = ERRATA[key]
        say.markdown(md("Erratum *{}* ({}): {}", record.place, record.kind.value, record.matters))
    if entry.tests is None:
        say.markdown("The tests are not installed with the package; a copy of the source lists them here.")
    elif entry.tests:
        say.markdown(md("Tests: {}.", ", ".join(entry.tests)))
    if statement.whole:
        say.markdown(md("A display of {}.", statement.whole))
    page = statement.page.rpartition("/")[2].replace("_", " ")
    if page and say.button(f"Open {page}", key="ga_open_statement", icon=":material/open_in_full:"):
        leave_for(statement.page, statement.state)
