"""The index of the sources' statements as a table, and the row that is chosen in full."""

import pandas as pd
import streamlit as st

from dpcore.errata import ERRATA, SOURCES
from dpcore.references import REFERENCES
from dpcore.studies.statements import Entry, index
from pages.components import cache, cards, say
from pages.components.say import md

_KEY = "ga_statements"


def show() -> None:
    """All statements; a click on a heading sorts, a chosen row is shown below."""
    say.caption(
        "Every numbered statement of the five sources, and the sections of lecture 10. What implements one is read from the "
        "docstrings that cite it, what is wrong with it from the errata, the tests from the modules that name the code. Choose a row."
    )
    with say.spinner("Reading the code"):
        entries = cache.shared(index)
    say.table(_frame(entries), hide_index=True, height=460, key=_KEY, on_select="rerun", selection_mode="single-row")
    rows = st.session_state[_KEY]["selection"]["rows"] if _KEY in st.session_state else []
    if rows:
        _details(entries[rows[0]])


def _frame(entries: tuple[Entry, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        [
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
            for entry in entries
        ]
    )


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
    if statement.page:
        cards.page_link(statement.page, f"Open {statement.page.rpartition('/')[2].replace('_', ' ')}")
