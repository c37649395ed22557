"""The tab that chooses noise and penalty for the whole file: rows under a target for ε against accuracy."""

import pandas as pd
import streamlit as st

from dpcore.data import Dataset
from dpcore.errors import DPError
from dpcore.figures.per_instance import settings as figures
from dpcore.individual.analyses.accuracy import Accuracy
from dpcore.mechanisms.releases import GlmRelease
from dpcore.studies.per_instance.settings import SettingPoint, SettingSweep, sweep_settings
from pages.components import cache, cards, controls, export, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance.views import ExposureView

LARGEST = 50_000
_SHARES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)


def show(view: ExposureView) -> None:
    """Controls, the chart, the cheapest setting in words, the settings that nothing beats as a table."""
    left, right = st.columns(2, gap="medium")
    with left:
        target = controls.log_slider("Rows shall have ε of at most", 0.01, 10.0, 0.5, key="pi_settings_target")
    with right:
        share = say.select_slider(
            "Share of the rows", _SHARES, 0.95, format_func=lambda part: f"{100 * part:.0f} %", key="pi_settings_share",
            bind="query-params", persist_state="session",
        )  # fmt: skip
    if view.dataset.n_samples > LARGEST and not say.button("Compute the settings", key="pi_settings_go"):
        return
    try:
        with say.spinner("Trying settings", show_time=True):
            found = cache.kept(_sweep, view.dataset, view.result.mechanism, view.delta, target)
    except DPError as error:
        say.info(str(error))
        return
    best = found.best(share)
    export.chart(
        figures.settings(found, cards.theme_mode(), chosen=best), key="pi_settings",
        alt="Share of the rows under a target against accuracy by setting",
    )  # fmt: skip
    now = found.now
    if best is None:
        say.markdown(md("No setting tried brings **{:.0f} %** of the rows to ε ≤ {}.", 100 * share, number(target)))
    else:
        say.markdown(
            md(
                "**{}**: {:.1f} % of the rows have ε ≤ {}, {} {}. In use: {:.1f} % of the rows, {}; without noise {}.",
                _setting(best), 100 * best.share, number(target), best.accuracy.name, score(best.accuracy), 100 * now.share,
                score(now.accuracy), score(now.accuracy, now.accuracy.fit),
            )
        )  # fmt: skip
    _table(found)
    nature = f"{view.result.method.said} " if view.result.method.said else ""
    nature += "Shares count the most exposed rows and a sample of the others. " if found.sampled else ""
    say.caption(
        f"{nature}Accuracy is expected on these rows, noise included. Choosing a setting by looking at the rows is itself "
        "not private: choose on other data, or count the choice."
    )


def _sweep(dataset: Dataset, mechanism: GlmRelease, delta: float, target: float) -> SettingSweep:
    return sweep_settings(dataset, mechanism, delta, target)


def _table(found: SettingSweep) -> None:
    rows = [
        {
            "setting": _setting(point),
            "rows under ε": f"{100 * point.share:.1f} %",
            found.now.accuracy.name: score(point.accuracy),
        }
        for point in found.frontier()
    ]
    say.table(pd.DataFrame(rows), hide_index=True, height=220, key="pi_settings_table")


def _setting(point: SettingPoint) -> str:
    mechanism = point.mechanism
    return f"λ = {number(mechanism.lam)}, {mechanism.noise.symbol} = {number(getattr(mechanism, mechanism.noise.name))}"


def score(of: Accuracy, value: float | None = None) -> str:
    """An expected score, or another value of it, as people read it."""
    value = of.value if value is None else value
    return f"{100 * value:.1f} %" if of.share else number(value)
