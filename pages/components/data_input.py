"""Make a Dataset of a sample or an upload; it exists in this session only."""

from typing import Any

import streamlit as st

from dpcore.data import Dataset, Domain, Table, make_dataset, read_sample, read_table
from dpcore.data.domain import CAP, KEEP
from dpcore.data.ingest.choose import choose_label, label_columns
from dpcore.data.ingest.extremes import ExtremeValues
from dpcore.data.names import grouped
from dpcore.data.samples import SAMPLES
from dpcore.errors import DataError, DPError
from pages.components import cache, controls, edited, file_overview, routes, say, target_choice
from pages.components.public_ranges import check_complete
from pages.components.say import md
from pages.components.state import NothingToShowError
from pages.components.target_choice import TargetChoice
from pages.server import uploads

UPLOAD = "upload"
PROMISE = "Read in memory by this computer, for this session only; nothing is written to disk or sent anywhere."
_UPLOAD_WORDS = "Upload a file"
_STATE, _EXTREMES = "private_data", file_overview.EXTREMES
SCALING = {
    "public": "stated public ranges",
    "data": "minimum and maximum of this file",
    "none": "leave as they are, clip only",
}
UPLOAD_SCALING = SCALING | {"public": "public ranges only", "data": "public ranges, the rest from this file"}


def store() -> dict[str, Any]:
    """The session's store of private data, which "Forget my data" empties."""
    return st.session_state.setdefault(_STATE, {"generation": 0})


def forget() -> None:
    """Remove every uploaded file and everything computed from it from this session."""
    store()["generation"] += 1  # a new, empty uploader
    for key in _own_keys():
        del st.session_state[key]
    drop()
    uploads.drop_files()


def drop() -> None:
    """Remove what came from a file that is replaced or removed in its uploader."""
    state = store()
    generation = state["generation"]
    state.clear()  # in place, since the session would hold a replaced dict until its next run
    state["generation"] = generation
    for key in _own_keys():
        if not uploads.is_upload(st.session_state[key]):  # the new upload is kept for this run to read
            del st.session_state[key]
    cache.forget()
    uploads.drop_widgets()


def _own_keys() -> list[str]:
    return [key for key in map(str, st.session_state) if key.startswith("data_")]


def choose(main: Any) -> Dataset | None:
    """Sidebar controls that make a Dataset; None, with a sentence on screen, while there is none.

    `main` is a container of the main area. It shows an upload as it was read, with its ranges, and is open while
    something there is still to be stated.
    """
    sources = {key: sample.title for key, sample in SAMPLES.items()} | {UPLOAD: _UPLOAD_WORDS}
    source = say.selectbox("Data", list(sources), format_func=sources.get, key="source")
    try:
        table = _uploaded() if source == UPLOAD else cache.in_session(read_sample, source)
        return _configure(table, source, main) if table is not None else None
    except DPError as error:
        st.session_state["data_problem"] = str(error)
        return None


def problem() -> str | None:
    """The sentence that says why there is no data set yet; it is removed when it is read."""
    return st.session_state.pop("data_problem", None)


def no_data() -> None:
    """Say what is wrong with the chosen data, or how to choose some."""
    if why := problem():
        say.error(why, icon=":material/error:")
        return
    say.info(
        "Choose a sample or upload a CSV or Parquet file in the sidebar: one row per person, a header line, one column to "
        "predict. The file is read in this computer's memory and never leaves it.",
        icon=":material/upload_file:",
    )


def ask(asked: Any, key: str = "") -> Dataset:
    """A control of a page's state: it gives a data set, or raises an error that shows what is missing."""
    dataset = choose(asked.place)
    st.divider()
    if dataset:
        return dataset
    raise NothingToShowError("", no_data)


def drop_in(page: str) -> None:
    """An uploader on another page than the one that uses the file: once the file is read, `page` opens with it."""
    state, before = store(), store().get("table")
    here = _read(state)
    if here and state.get("error"):
        say.error(state["error"], icon=":material/error:")
    elif state.get("table") is not before:
        routes.open_page(page, {"source": _UPLOAD_WORDS})


def _uploaded() -> Table | None:
    state = store()
    _read(state)
    if state.get("table") is not None or state.get("error"):
        say.button("Forget my data", on_click=forget, icon=":material/delete:", width="stretch")
    if state.get("error"):
        raise DataError(state["error"])
    return state.get("table")


def _read(state: dict[str, Any]) -> bool:
    """The uploader: a new file is read into the state and its bytes are dropped. Returns whether it holds a file."""
    upload = say.file_uploader(
        "CSV or Parquet, with a header line", type=["csv", "tsv", "txt", "parquet"], key=f"data_upload_{state['generation']}",
        on_change=drop, help=PROMISE,
    )  # fmt: skip
    if upload is not None and state.get("file_id") != upload.file_id:
        state.update(file_id=upload.file_id, table=None, error=None)
        with say.spinner("Reading the file"):
            try:
                _keep(state, upload.file_id, table=read_table(upload))
            except DataError as error:
                _keep(state, upload.file_id, error=str(error))
        uploads.drop_bytes(upload)
    return upload is not None


def _configure(table: Table, source: str, main: Any) -> Dataset:
    sample = SAMPLES.get(source)
    prefix = f"data_{source if sample else table.sha256[:12]}"
    table = edited.current(store(), table, prefix)
    usable = [column.name for column in table.columns if column.kind in ("numeric", "boolean", "categorical")]
    with say.expander("Columns and scaling", expanded=source == UPLOAD):
        target = target_choice.choose(table, sample.target if sample else None, prefix)
        features = say.multiselect(
            "Features", [name for name in usable if name != target.name], default=None,
            placeholder="all usable columns", key=f"{prefix}_features",
        )  # fmt: skip
        choices = list(SCALING) if sample is None or sample.domain.ranges else list(SCALING)[1:]
        scaling = say.selectbox(
            "Scale columns by", choices, index=choices.index("data" if sample is None else choices[0]),
            format_func=(SCALING if sample else UPLOAD_SCALING).get, key=f"{prefix}_scaling",
        )  # fmt: skip
        rows = say.segmented_control(
            "Rows longer than R", ["clip", "normalize"], required=True, key=f"{prefix}_rows",
            default=sample.domain.rows if sample else "clip",
            format_func={"clip": "shorten to R", "normalize": "set every row to R"}.get,
        )  # fmt: skip
        row_norm = controls.log_slider("Row norm bound R", 0.1, 10.0, 1.0, key="data_R", help="Public: ‖x‖₂ ≤ R")
        target_bound = controls.log_slider("Target bound B", 0.1, 10.0, 1.0, key="data_B", help=md("Public: |y| ≤ B"))
        missing = say.selectbox("Missing cells", ["drop", "mean", "median", "zero"], key=f"{prefix}_missing",
                               format_func={"drop": "drop the row", "mean": "fill with the column mean",
                                            "median": "fill with the median", "zero": "fill with zero"}.get)  # fmt: skip
        intercept = say.toggle("Add a constant column", value=sample is None, key=f"{prefix}_intercept")
        label = _label(table, prefix)
    top = main.container()
    ranges, from_data = sample.domain.ranges if sample and scaling == "public" else None, scaling == "data"
    if sample is None:
        stated = file_overview.draw(table, target, tuple(features) or None, scaling, missing, prefix, main, store())
        check_complete(stated, from_data)
        ranges, from_data = stated.ranges or None, from_data and bool(stated.missing)
    from_data = from_data and store().get(_EXTREMES, True)
    domain = Domain(row_norm, target_bound, rows=rows, ranges=ranges, from_data=from_data)
    choices = {"features": tuple(features) or None, "domain": domain, "missing": missing, "label": label}
    try:
        dataset = _build(table, target, intercept=intercept, **choices)
    except ExtremeValues as error:
        _open(table)
        say.error(str(error), icon=":material/straighten:", on=top)
        _settle(top, {"Cut them off at the others": CAP, "Keep them": KEEP})
        raise DataError("Nothing is computed until it is said what the cells named above are.") from error
    except DPError:
        if sample is None:
            _open(table)
        raise
    if store().pop(file_overview.OPEN, None):
        st.rerun()  # nothing is left to state, so the overview closes and leaves its space to the answer
    if dataset.report.extremes:
        say.warning(dataset.report.extremes, icon=":material/straighten:", on=top)
        _settle(top, {"Ask again": True})
    if sample is None and stated.place is not None:
        _clipped(dataset, stated.place)
    return dataset


def _settle(place: Any, offered: dict[str, bool | str]) -> None:
    """A button for each rule about cells far beyond all others."""
    with place, st.container(horizontal=True):
        for words, rule in offered.items():
            say.button(words, key=f"data_extremes_{rule}", on_click=store().update, kwargs={_EXTREMES: rule})


def _clipped(dataset: Dataset, place: Any) -> None:
    """Say below the ranges how many cells they cut off."""
    cells, targets = dataset.report.values_clipped, dataset.report.targets_clipped
    if cells or targets:
        clipped = f"{grouped(cells)} cells, {grouped(targets)} values of the target"
        say.caption(f"Outside these ranges and clipped: {clipped}.", on=place)


def _open(table: Table) -> None:
    """Open the overview of a file if no data set can be made with what is stated."""
    state = store()
    if state.get(file_overview.OPEN) != table.sha256:
        state[file_overview.OPEN] = table.sha256
        st.rerun()


def _label(table: Table, prefix: str) -> str:
    """The column that labels the rows; the choice stays in this session and is in no link."""
    if not (names := cache.kept(label_columns, table)):
        return ""
    first = choose_label(table, None)
    return say.selectbox(
        "Label rows by", ["", *names], index=1 + names.index(first) if first in names else 0,
        format_func=lambda name: name or "row number only", key=f"{prefix}_label",
        help="A column that differs from row to row, such as a staff number. It stays in this session.",
    )  # fmt: skip


def _build(table: Table, target: TargetChoice, **choices: Any) -> Dataset:
    """Make the data set, or return the last one, so that moving a privacy slider does not build it again."""
    state, key = store(), (table.sha256, target, *choices.values())
    if state.get("dataset_key") == key:
        return state["dataset"]
    file_id = state.get("file_id")
    dataset = make_dataset(table, target=target.name, **choices, **target.options)
    _keep(state, file_id, dataset=dataset, dataset_key=key)
    return dataset


def _keep(state: dict[str, Any], file_id: str | None, **found: Any) -> None:
    """Keep what was made of a file, unless the user had the file forgotten while this run was reading it."""
    if state.get("file_id") == file_id:
        state.update(found)
