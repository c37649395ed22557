"""Why a row is exposed and what to do about it: its cells, similar rows, and advice that meets a target for ε."""

from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data.names import grouped
from dpcore.errors import DPError
from dpcore.exhibits.per_instance import story_figure as figures
from dpcore.individual import IndividualPrivacy
from dpcore.individual.rows.advice import Advice, advise, advise_all, without_expansion
from dpcore.individual.rows.in_place import typical_records
from dpcore.individual.rows.neighbours import neighbours
from pages.components import cards, controls, export, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance import exact, settings, tables
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)

# Most rows of data for which changes are tried out with new fits. Doubled, moving a slider may take twice as long.
LARGEST = 50_000
SHARE = 0.99

# Number of cells of a row whose effect is also computed without the expansion. Doubled, this takes twice as long.
_EXACT = 3
_WHOM = {"row": "this row", "most": "99 % of the rows"}


def why(view: ExposureView, row: int) -> None:
    """Show which cell exposes the row, and which rows are similar to it."""
    if _is_tried(view):
        try:
            _cells(view, row)
        except DPError as error:
            say.info(f"Which cell it is cannot be computed: {error}")
        _neighbours(view, row)


def helps(view: ExposureView, row: int) -> None:
    """Show what brings ε of this row, or of most rows, under a target, and what this costs."""
    if _is_tried(view):
        try:
            _advice(view, row)
        except DPError as error:
            say.info(f"What would help cannot be computed: {error}")


def _is_tried(view: ExposureView) -> bool:
    if view.dataset.n_samples > LARGEST:
        say.info(f"Changes of the data are tried out up to {grouped(LARGEST)} rows.")
    return view.dataset.n_samples <= LARGEST


def _cells(view: ExposureView, row: int) -> None:
    name = view.dataset.row_name(row)
    say.subheader(f"Which cell exposes {name}", anchor=False)
    cells = tables.row_cells(view, row)
    export.chart(
        figures.cells(cells, float(view.best.epsilon[row]), cards.theme_mode(), method=view.result.method), key="pi_cells",
        alt="Epsilon of the row with a typical value in one cell at a time",
    )  # fmt: skip
    say.caption(_sentence("each_bar"))
    shown = [cell for cell in cells if cell.contribution != 0][:_EXACT]
    found = exact.records(
        view, lambda: typical_records(view.result, row, [cell.column for cell in shown]), row, key="pi_cells_exact"
    )
    if found is not None:
        table = {
            "cell": [cell.column for cell in shown],
            "typical": [cell.typical for cell in shown],
            "ε with the typical value, by the expansion": [number(cell.epsilon) for cell in shown],
            "without it": [exact.shown(pair) for pair in zip(found.epsilon, found.error, strict=True)],
        }
        say.table(pd.DataFrame(table), hide_index=True, key="pi_cells_exact_table")


def _advice(view: ExposureView, row: int) -> None:
    left, right = st.columns([2, 3], gap="medium")
    with left:
        whom = say.segmented_control(
            "Bring down ε of", list(_WHOM), format_func=_WHOM.get, default="row", required=True, key="pi_advice_whom"
        )
    now = float(view.best.epsilon[row]) if whom == "row" else float(view.best.quantiles(SHARE))
    with right:
        target = controls.log_slider("to at most ε =", 0.01, 10.0, 0.5, key="pi_advice_target")
    surely = whom == "row" and without_expansion(view.result)
    if now <= target and not surely:
        known = view.of_row(row) if whom == "row" else f"ε is {view.best.method.mark}{number(now)}"
        say.markdown(f"{known} already, which is not above {number(target)}.")
        return
    with say.spinner("Trying changes", show_time=True):
        found: Advice = view.of_all(_advise, row if whom == "row" else -1, target)
    sign = md("≤") if found.surely else view.equals
    present = view.of_row(row) if whom == "row" else f"ε {sign} {number(found.epsilon)}"
    if not found.options:
        say.markdown(md("{} already, which is not above {!n}.", present, target))
        return
    best = next((option for option in found.options if option.meets), None)
    if best is not None:
        said = md("{} now. Cheapest: **{}**, then ε ", present, best.text)
        said += md("{} {!n}.", sign if best.epsilon > 0 else md("="), best.epsilon)
        staying = next((option for option in found.options if option.meets and option.epsilon > 0), best)
        if staying is not best:
            said += md(" With the row: **{}**, then ε {} {!n}.", staying.text, sign, staying.epsilon)
        say.markdown(said)
    say.table(_options(found, sign), hide_index=True, key="pi_advice")
    score = found.accuracy
    unit = "the target's units" if view.dataset.encoder.target_range else "scaled units of the target"
    what = (
        f"RMSE: root of the expected mean squared error of the released model on these rows, noise included, in {unit}"
        if score.name == "RMSE"
        else f"{score.name[:1].upper()}{score.name[1:]}: expected of the released model on these rows, noise included"
    )
    scores = settings.score(score), settings.score(score, score.fit)
    say.caption(_sentence("advised", what, *scores, _reliance(view, found.surely)))


def _reliance(view: ExposureView, surely: bool) -> str:
    if not view.result.is_expansion:
        return ""
    if surely:
        return " Each ε is computed without the expansion, its error bar added."
    said = " Each ε is an expansion, and may be larger without it: follow the advice, then look at the rows that are exact."
    return said if (found := view.best.exactly) is None else f"{said} Of the rows computed without it {found.off}."


def _options(found: Advice, sign: str) -> pd.DataFrame:
    now, name = found.accuracy, found.accuracy.name
    rows = []
    for option in found.options:
        price, then = option.accuracy, number(option.epsilon)
        line: dict[str, Any] = {
            "what to do": option.text,
            "ε then": then if sign == "=" or option.epsilon == 0 else f"{sign} {then}",
            "enough": "yes" if option.meets else "no",
            f"{name} then": "",
            f"{name} change": "",
        }
        if price is not None:
            line[f"{name} then"] = settings.score(price)
            line[f"{name} change"] = f"{100 * (price.value / now.value - 1):+.1f} %".replace("-", "−")
        if now.beside is not None:
            title, _ = now.beside
            line[title] = "" if price is None or price.beside is None else f"{100 * price.beside[1]:.1f} %"
        rows.append(line | {"remark": option.note})
    return pd.DataFrame(rows)


def _advise(result: IndividualPrivacy, row: int, target: float) -> Advice:
    return advise_all(result, SHARE, target) if row < 0 else advise(result, row, target)


def _neighbours(view: ExposureView, row: int) -> None:
    say.subheader("Rows that look like it", anchor=False)
    near = neighbours(view.result, row, 8)
    table = tables.record_table(view, [row, *(int(other) for other in near.rows)])
    table.insert(1, "shared direction", [1.0, *near.likeness])
    tables.show(view, table, key="pi_neighbours")
    say.caption(_sentence("shared_direction"))
