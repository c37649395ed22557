"""A pipeline saved as a file, which `dp.check_run` reads too, and loaded into the controls again."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dpcore.errors import DataError, DPError
from dpcore.mechanisms import STEPS
from dpcore.runs.readers.pipeline import Step, steps_of, written
from dpcore.runs.source import content_of
from pages.components import controls, links, say
from pages.components.words import number
from pages.server import uploads

MOST_ROWS = 6


def box() -> Any:
    """The place for saving; a file loaded here sets the controls, which are drawn after it."""
    place = say.popover("Save or load the pipeline", key="co_file", width="stretch")
    with place:
        upload = say.file_uploader("Load a pipeline (YAML or JSON)", type=["yaml", "yml", "json"], key="co_load")
        if upload is not None and st.session_state.get("co_loaded") != upload.file_id:
            st.session_state["co_loaded"], data = upload.file_id, upload.getvalue()
            uploads.drop_bytes(upload)
            try:
                links.give(_controls(steps_of(content_of(data))))
            except DPError as error:
                say.error(str(error), icon=":material/error:")
    return place


def offer(place: Any, steps: Sequence[Step]) -> None:
    """A button that saves the steps."""
    say.download_button(
        "Save (YAML)", data=written(steps).encode(), file_name="pipeline.yaml", mime="application/yaml", on_click="ignore",
        key="co_save", on=place,
    )  # fmt: skip


def _controls(steps: Sequence[Step]) -> dict[str, Any]:
    """The values of the controls, each of which must have the number that the file states."""
    if len(steps) > MOST_ROWS:
        raise DataError(f"the controls hold {MOST_ROWS} steps, the file has {len(steps)}: open it in Check my run")
    found: dict[str, Any] = {"co_rows": len(steps)}
    for index, (kind, values, count) in enumerate(steps):
        allowed = {p.name: controls.positions(p) for p in STEPS[kind].parameters} | {
            "count": controls.whole_values(1, 1_000_000)
        }
        for name, value in {**values, "count": count}.items():
            near = controls.nearest(allowed[name], value)
            if abs(near - value) > 1e-9 * abs(value):
                raise DataError(
                    f"step {index + 1}: no control has {name} = {value:g}, the nearest is {number(near)}: open the file in Check my run"
                )
            found[f"co_{index}_count" if name == "count" else f"co_{index}_{kind}_{name}"] = near
        found[f"co_{index}_kind"] = kind
    return found
