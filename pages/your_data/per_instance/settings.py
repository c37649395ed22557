"""The tab that chooses noise and penalty for the whole file: the share of rows under a target ε against accuracy."""

import pandas as pd
import streamlit as st

from dpcore.errors import DPError
from dpcore.exhibits.per_instance import settings_figure as figures
from dpcore.exhibits.per_instance.settings import MechanismSweeps, SettingPoint, sweep_mechanisms
from dpcore.individual.analyses.accuracy import Accuracy
from pages.components import cards, controls, export, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance.large_data import stoppable
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)

LARGEST = 50_000
_SHARES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)


def show(view: ExposureView) -> None:
    """Show the controls, the chart, a sentence on the cheapest setting, and a table of the settings that none beats."""
    left, right = st.columns(2, gap="medium")
    with left:
        target = controls.log_slider("Rows shall have ε of at most", 0.01, 10.0, 0.5, key="pi_settings_target")
    with right:
        share = say.select_slider(
            "Share of the rows", _SHARES, 0.95, format_func=lambda part: f"{100 * part:.0f} %", key="pi_settings_share",
        )  # fmt: skip
    if view.dataset.n_samples > LARGEST and not say.button("Compute the settings", key="pi_settings_go"):
        return
    found = _sweeps(view, target)
    if found is None:
        return
    best = found.best(share)
    export.chart(
        figures.settings(found, cards.theme_mode(), chosen=best), key="pi_settings",
        alt="Share of the rows under a target against accuracy, by mechanism and setting",
    )  # fmt: skip
    _words(found, best, share)
    _table(found)
    nature = f"{view.result.method.said} " if view.result.method.said else ""
    counted = "Shares count the most exposed rows and a sample of the others. " if found.in_use.sampled else ""
    law = "" if view.result.mechanism.is_linear else _sentence("nearest_normal")
    say.caption(_sentence("settings_read", nature, counted, law))


def _words(found: MechanismSweeps, best: dict[str, SettingPoint], share: float) -> None:
    """Show sentences on the best setting of each mechanism, the most accurate first, and on the one in use."""
    now, target = found.in_use.now, found.in_use.target
    lines = [_sentence("rows_at_setting", f"{name},", _setting(one), *_met(one, target)) for name, one in best.items()]
    lines += [
        md("- {}: no setting tried brings **{:.0f} %** of the rows to ε ≤ {!n}.", name, 100 * share, target)
        for name in found.sweeps
        if name not in best
    ]
    lines += [md("- {}: {}", name, reason) for name, reason in found.refused.items()]
    lines.append(_sentence("in_use", *_met(now, target), score(now.accuracy, now.accuracy.fit)))
    say.markdown(md("\n").join(lines))


def _met(point: SettingPoint, target: float) -> tuple[float, float, str, str]:
    """The share of the rows in per cent, the ε they have at most, and the name and value of the score."""
    return 100 * point.share, target, point.accuracy.name, score(point.accuracy)


def _sweeps(view: ExposureView, target: float) -> MechanismSweeps | None:
    """The settings of every mechanism, with progress and a stop button; None if stopped or if there are none."""
    state = view.kept.setdefault("settings", {})
    if target in state:
        return state[target]
    if state.get("stopped") == target:
        say.info("Stopped: no settings are shown from a part of them.", icon=":material/pause_circle:")
        say.button(
            "Compute them", icon=":material/play_arrow:", key="pi_settings_again", on_click=state.pop, args=("stopped",)
        )
        return None
    place = st.empty()
    bar = stoppable(place, "pi_settings_stop", state, {"stopped": target})
    try:
        state[target] = sweep_mechanisms(
            view.dataset, view.result.mechanism, view.delta, target,
            lambda name, part: say.progress(part, f"{name}: trying settings", on=bar),
        )  # fmt: skip
    except DPError as error:
        say.info(str(error))
    place.empty()
    return state.get(target)


def _table(found: MechanismSweeps) -> None:
    rows = [
        {"mechanism": name, "setting": _setting(point), "rows under ε": f"{100 * point.share:.1f} %",
         point.accuracy.name: score(point.accuracy)}
        for name, sweep in found.sweeps.items()
        for point in sweep.frontier()
    ]  # fmt: skip
    say.table(pd.DataFrame(rows), hide_index=True, height=220, key="pi_settings_table")


def _setting(point: SettingPoint) -> str:
    mechanism = point.mechanism
    return f"λ = {number(mechanism.lam)}, {mechanism.noise.symbol} = {number(getattr(mechanism, mechanism.noise.name))}"


def score(of: Accuracy, value: float | None = None) -> str:
    """The expected score (or `value`) as text: a percentage if the score is a share, else a number."""
    value = of.value if value is None else value
    return f"{100 * value:.1f} %" if of.share else number(value)
