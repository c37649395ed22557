"""State, cards, chart and words of the page that checks a run."""

import math
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import streamlit as st

import dpcore as dp
from dpcore.accountants.pld import ComposedCurve
from dpcore.exhibits.check_run import figure as figures
from dpcore.exhibits.check_run import study
from dpcore.mechanisms import Subsampled
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from dpcore.runs.check import as_text
from pages.components import cache, cards, say, state
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number, program_text, programs
from pages.server import address, uploads

_sentence, _program = say.sentences(__file__), programs(__file__)

YOURS = "yours"
_RUNS = {key: one.name for key, one in study.RECORDED.items()} | {YOURS: "Paste or drop your own"}
_PASTED = "ck_pasted"
# Characters of a run that its address holds. Doubled, some servers refuse the longest addresses.
_IN_ADDRESS = 1500
_LEAST = 1e-15  # the smallest δ of the axis. Doubled, the axis has room for a little less
# Characters that are drawn in the text field. Doubled, a browser is slower to show the longest runs.
_MOST = 200_000
_STEPS = 2  # steps of a pipeline that are named; doubled, the names take two lines


def _paste(asked: Any, key: str) -> str:
    """A field for the run, which a dropped file fills."""
    upload = say.file_uploader("Drop a file", key="ck_file", help=_sentence("files"))
    if upload is not None and st.session_state.get("ck_read") != upload.file_id:
        st.session_state["ck_read"], data = upload.file_id, upload.getvalue()
        uploads.drop_bytes(upload)
        st.session_state[key] = as_text(data)
    long = len(st.session_state.get(key) or "") > _IN_ADDRESS
    if long:
        address.write(key, [])
    text = say.text_area(
        "Or paste its text", value="", height=200, max_chars=_MOST, key=key, **({"bind": None} if long else {}),
        help=_sentence("formats"),
    )  # fmt: skip
    if not (text or "").strip():
        raise state.NothingToShowError(_sentence("nothing_yet"), headline="Paste a run, or drop its file")
    return text


@dataclass(frozen=True)
class State:
    """Which run is checked, and at which δ."""

    run: str = state.one_of("Run", _RUNS, "shuffled", menu=True)
    pasted: str = state.control("", _paste, when=lambda asked: asked.run == YOURS)
    delta: float = state.delta(md("Look at δ ="))

    @property
    def text(self) -> str:
        """The run as it was exported."""
        return self.pasted if self.run == YOURS else study.RECORDED[self.run].text

    @cached_property
    def found(self) -> dp.CheckedRun:
        """The run, checked at δ."""
        return cache.kept(study.check_text, self.text).at(self.delta)

    @property
    def sides(self) -> list[curves.Curve]:
        """ε(δ) from both sides."""
        return cache.kept(_sides, self.text)

    @property
    def here(self) -> str:
        """Both sides of ε at δ, in words."""
        return between(*self.found.epsilon)

    @property
    def steps(self) -> str:
        """The pipeline above the run: its first steps, each with how often it is taken."""
        found = self.found.pipeline
        said = [f"{count(times)} × {_short(step)}" for step, times in found[:_STEPS]]
        return ", ".join(said + ["…"] * (len(found) > _STEPS)) or "no steps"

    @property
    def speaks(self) -> bool:
        """Whether the tool claims an ε at the δ looked at."""
        return self.found.claim is not None and math.isclose(self.found.claim[1], self.delta)


def _short(step: Any) -> str:
    """A mechanism by its class and the parameters that are not at their defaults: Subsampled(Gaussian(sigma=1.10), rate=0.0100)."""
    stated = [(one.name, getattr(step, one.name)) for one in fields(step) if getattr(step, one.name) != one.default]
    said = [_short(value) if is_dataclass(value) else f"{name}={_said(value)}" for name, value in stated]
    return f"{type(step).__name__}({', '.join(said)})"


def _said(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _sides(text: str) -> list[curves.Curve]:
    return study.sides(cache.kept(study.check_text, text))


def between(low: float, high: float) -> str:
    """Both sides with four digits, rounded outwards: 1.132–1.133."""
    if not math.isfinite(high):
        return f"{number(low, 4)}–∞"
    if high <= 0:
        return "0–0"
    digits = 3 - math.floor(math.log10(high))
    scale = 10.0**digits
    ends = math.floor(low * scale) / scale, math.ceil(high * scale) / scale
    return "–".join(f"{end:.{max(digits, 0)}f}" if 1e-3 <= end < 1e4 else number(end, 4) for end in ends)


def headline(shown: State) -> str:
    """What the tool said, and where the truth lies."""
    found, at = shown.found, f"at δ = {number(shown.delta)}"
    low, high = found.epsilon
    if not shown.speaks:
        return f"ε lies in {shown.here} {at}" if low > 0 else f"ε is at most {number(high, 4)} {at}"
    said = f"{found.tool} said {number(found.claim[0], 3)}"
    return (
        f"{said}; the truth is {number(low, 4)} or more"
        if found.verdict == "refuted"
        else f"{said}; the truth lies in {shown.here}"
    )


def metrics(shown: State) -> list[cards.Metric]:
    """Cards for both sides, the claim and its verdict, and the size of the run."""
    found, at = shown.found, f"at δ = {number(shown.delta)}"
    low, high = found.epsilon
    row = [
        cards.Metric("Certified: no more than", number(high, 4), at),
        cards.Metric("Certified: no less than", number(low, 4), at if low > 0 else "nothing bounds it from below"),
    ]
    if found.claim is not None:
        row.append(
            cards.Metric(
                f"{found.tool} said", number(found.claim[0], 4), _VERDICTS[found.verdict],
                help=f"At δ = {number(found.claim[1])}.", worse=True if found.verdict == "refuted" else None,
            )
        )  # fmt: skip
    row.append(cards.Metric("Steps", count(sum(times for _, times in found.pipeline)), "of the pipeline above"))
    return row


_VERDICTS = {
    "refuted": "refuted: too small", "open": "between the sides", "inside": "as certified", "holds": "holds, not tight",
}  # fmt: skip


def charts(shown: State) -> list[Chart]:
    """Both sides of ε over δ, and the claim."""
    found, sides = shown.found, shown.sides
    claim = None
    if found.claim is not None and math.isfinite(found.claim[0]):
        claim = found.claim[1], found.claim[0], f"{found.tool} said {number(found.claim[0], 3)}"
    last = found.at(_LEAST).claim or (0.0, 0.0)  # a recomputed claim grows as δ falls, and the axis should stand still
    seen = [value for side in sides for value in side.y.tolist()] + [last[0]]
    tallest = max((value for value in seen if math.isfinite(value)), default=0.0)
    return [
        Chart(
            "Bracket",
            lambda: figures.bracket_figure(
                sides, cards.theme_mode(), delta=shown.delta, here=(found.epsilon, f"truth {shown.here}"), claim=claim,
                refuted=found.verdict == "refuted", tallest=tallest,
            ),
            "Both certified sides of epsilon against delta, and what the tool said",
            caption=_sentence("which_run", shown.steps),
        )
    ]  # fmt: skip


def said(shown: State) -> list[str]:
    """What had to be assumed, and what is wrong with the claim."""
    return list(shown.found.flags)


def data(shown: State) -> pd.DataFrame:
    """The numbers behind the chart."""
    return curves.table(shown.sides, "delta", "epsilon")


def notes(shown: State) -> list[str]:
    """Sentences on how a run is read."""
    return [_sentence("two_pipelines", shown.steps), _sentence("refuted_means"), _sentence("nothing_is_run")]


def formulas(shown: State) -> list[FormulaCard]:
    """The accountant and sampling."""
    return [ComposedCurve.card, Subsampled.card]


def program(shown: State) -> str:
    """The lines of dpcore that check the run."""
    pipeline = "[" + ", ".join(f"({program_text(step)}, {times})" for step, times in shown.found.pipeline) + "]"
    quoted = shown.text if len(shown.text) <= _IN_ADDRESS else ""
    return _program("check" if quoted else "check_file", text=quoted, delta=shown.delta, pipeline=pipeline)
