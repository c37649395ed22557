"""Where the training data come from: the papers' generators, a published set, a sample or an upload."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpcore.data import Dataset
from dpcore.data.published import adult, synthetic_l
from dpcore.data.synthetic import linear_data, logistic_data
from dpcore.errors import DataError, DPError
from dpcore.glm import LOSSES as LOSS_TYPES
from pages.components import cache, controls, data_input

SOURCES = {
    "synthetic_l": "Synthetic-L (10 000 × 41)",
    "logistic": "Logistic model",
    "linear": "Linear Gaussian model",
    "adult": "Adult (from OpenML)",
    "own": "Sample or upload",
}
LOSSES = {
    "logistic": "Logistic",
    "smoothed_hinge": "Smoothed hinge",
    "squared": "Squared",
    "huber": "Huber",
    "poisson": "Poisson",
}
_USUAL = {"synthetic_l": "logistic", "logistic": "logistic", "adult": "logistic", "linear": "squared"}
_ADULT = "data_training_adult"


def choose() -> tuple[Dataset | None, str]:
    """Sidebar controls that end in a data set and a loss that suits it."""
    source = st.selectbox(
        "Data", list(SOURCES), format_func=SOURCES.get, key="tr_data", bind="query-params", persist_state="session"
    )
    dataset = _dataset(source)
    usual = _USUAL.get(source) or ("logistic" if dataset is not None and is_labels(dataset) else "squared")
    loss = st.selectbox(
        "Loss", list(LOSSES), index=list(LOSSES).index(usual), format_func=LOSSES.get, key=f"tr_loss_{usual}",
        persist_state="session",
    )  # fmt: skip
    return dataset, loss


def is_labels(dataset: Dataset) -> bool:
    """Whether the target takes two values."""
    return len(set(dataset.y[:2000].tolist())) <= 2


def _dataset(source: str) -> Dataset | None:
    if source == "own":
        return data_input.choose()
    if source == "adult":
        return _adult()
    if source == "synthetic_l":
        return cache.kept(synthetic_l)
    n = controls.count_slider("Records n", 50_000, 2000, key="tr_n")
    d = controls.count_slider("Features d", 100, 10, key="tr_d")
    seed = int(controls.linear_slider("Seed of the generator", 0, 99, 0, step=1, key="tr_data_seed"))
    if source == "linear":
        noise = controls.linear_slider("Noise of the targets s", 0.0, 1.0, 0.1, step=0.05, key="tr_noise")
        return cache.kept(linear_data, n, d, noise, seed)
    steepness = controls.log_slider("Steepness of the labels", 0.5, 50.0, 10.0, key="tr_steepness")
    return cache.kept(logistic_data, n, d, steepness, seed)


def _adult() -> Dataset | None:
    if st.button("Fetch Adult from OpenML", help="Asks openml.org; nothing of yours is sent.", width="stretch"):
        with st.spinner("Fetching"):
            try:
                st.session_state[_ADULT] = adult()
            except DPError as error:
                st.session_state["data_problem"] = str(error)
    return st.session_state.get(_ADULT)


def guarded(module: Any, dataset: Dataset, loss: str, delta: float) -> Any:
    """The controls of a view, or None with the sentence that says why the data do not suit."""
    try:
        if dataset.domain is None:
            raise DataError("The data set states no public domain; choose a scaling under Columns and scaling.")
        LOSS_TYPES[loss].check_target(dataset.y)
        return module.state(dataset, loss, delta)
    except DPError as error:
        st.session_state["data_problem"] = f"{error}".rstrip(".") + ". Choose another loss or target."
        return None
