"""The sources of training data: the generators of the papers, published data, a sample, or an upload."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpcore.data import Dataset
from dpcore.data.samples.published import adult_in_forms, gisette, synthetic_h, synthetic_l
from dpcore.data.samples.synthetic import linear_data, logistic_data
from dpcore.errors import DPError
from pages.components import cache, data_input, say
from pages.components.say import md
from pages.components.state import NothingToShowError
from pages.server import uploads
from pages.your_data.private_training import printed

_sentence = say.sentences(__file__)

SOURCES = {
    "synthetic_l": "Synthetic-L (10 000 × 41)",
    "synthetic_h": "Synthetic-H (2 000 × 2 001)",
    "logistic": "Logistic model",
    "linear": "Linear Gaussian model",
    "adult": "Adult (upload or OpenML)",
    "gisette": "Gisette (upload)",
    "own": "Sample or upload",
}
GENERATED = ("synthetic_l", "synthetic_h", "logistic", "linear")
FORM_TITLES = {"own": "0.2, inside norm 1", "published": "1, as published"}
_USUAL = {
    "linear": "squared",
    **dict.fromkeys(("synthetic_l", "synthetic_h", "logistic", "adult", "gisette"), "logistic"),
}
_ADVICE = {
    "adult": _sentence("get_adult"),
    "gisette": _sentence("get_gisette"),
    "own": "Choose a sample, or upload a file in the sidebar.",
}


def usual_loss(source: str, dataset: Dataset) -> str:
    """The loss that suits the data."""
    return _USUAL.get(source) or ("logistic" if is_labels(dataset) else "squared")


def is_labels(dataset: Dataset) -> bool:
    """Whether the first 2000 values of the target include at most two different ones."""
    return len(set(dataset.y[:2000].tolist())) <= 2


def ask(asked: Any, key: str) -> Dataset:
    """The chosen data set, or an error that says what to do if there is none."""
    made = {
        "synthetic_l": lambda: cache.kept(synthetic_l, 10_000, 1000, asked.form),
        "synthetic_h": lambda: cache.kept(synthetic_h, asked.form),
        "logistic": lambda: cache.kept(logistic_data, asked.n, asked.d, asked.steepness, asked.data_seed),
        "linear": lambda: cache.kept(linear_data, asked.n, asked.d, asked.noise, asked.data_seed),
        "adult": lambda: _adult(asked.form),
        "gisette": _gisette,
        "own": lambda: data_input.choose(asked.place),
    }
    dataset = made[asked.data]()
    if dataset is None:
        raise NothingToShowError("", lambda: _advise(asked.data), printed.HEADLINES.get(asked.data, ""))
    return dataset


def _advise(source: str) -> None:
    if source in printed.WITHOUT_DATA:
        printed.without_data(source)
    message = data_input.problem()
    (say.error if message else say.info)(message or _ADVICE[source])


def _adult(form: str) -> Dataset | None:
    """Adult in this form, from a file of the user or else from OpenML; None if it is not there."""
    found = _uploaded(
        "adult", "Adult as a file", lambda upload: adult_in_forms(upload, FORM_TITLES), type=["csv", "data", "test", "txt"],
        help=md("adult.data or adult.test of the UCI repository, or a CSV file with Adult's 15 columns. {}", data_input.PROMISE),
    )  # fmt: skip
    if found is None:
        if say.button(
            "Fetch Adult from OpenML", help=md("Asks openml.org; nothing of yours is sent."), width="stretch"
        ):
            _read("adult", "Fetching", lambda: adult_in_forms(None, FORM_TITLES))
            if _place("adult") in st.session_state:
                st.rerun()
        return None
    return found[form]


def _gisette() -> Dataset | None:
    """Gisette from files of the user, with the constant column as published; None without files."""
    return _uploaded(
        "gisette", "Gisette as files", gisette, accept_multiple_files=True,
        help=md("gisette_train.data and gisette_train.labels, or gisette_scale. {}", data_input.PROMISE),
    )  # fmt: skip


def _place(name: str) -> str:
    return f"data_training_{name}"


def _uploaded(name: str, label: str, read: Callable[..., Any], **options: Any) -> Any:
    """The result of reading files of the user. It is kept in this session until the user has it forgotten."""
    generation = st.session_state.setdefault(f"training_{name}_generation", 0)
    given = say.file_uploader(label, key=f"data_{name}_file_{generation}", on_change=data_input.drop, **options)
    files = given if options.get("accept_multiple_files") else [given] if given is not None else []
    names, seen = [one.file_id for one in files], f"{_place(name)}_files"
    if files and st.session_state.get(seen) != names:
        st.session_state[seen] = names
        _read(name, "Reading the file" if len(files) == 1 else "Reading the files", lambda: read(*files))
        uploads.drop_bytes(*files)
    if _place(name) in st.session_state:
        say.button("Forget my data", on_click=_forget, args=(name,), icon=":material/delete:", width="stretch")
    return st.session_state.get(_place(name))


def _read(name: str, doing: str, read: Callable[[], Any]) -> None:
    st.session_state.pop(_place(name), None)
    with say.spinner(doing):
        try:
            st.session_state[_place(name)] = read()
        except DPError as error:
            st.session_state["data_problem"] = str(error)


def _forget(name: str) -> None:
    st.session_state[f"training_{name}_generation"] += 1
    data_input.forget()


def leaks(dataset: Dataset | None) -> None:
    """Show warnings on changes of the rows that no privacy guarantee covers."""
    for note in dataset.report.notes if dataset is not None else ():
        if note.level == "leak":
            say.warning(note.text)
