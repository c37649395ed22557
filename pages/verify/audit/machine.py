"""The machine's attack, which runs in pieces, is drawn while it runs, and can be stopped at any time."""

import time
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dpcore.audit import Audit, Limit, Match, exact_audit
from dpcore.exhibits.audit.figure import Attacked, roc_figure
from pages.components import cards, say
from pages.components.charts import Chart
from pages.verify.audit.sidebar import Asked

_sentence = say.sentences(__file__)


# Most seconds of work before the page is drawn and the stop button is looked at. Doubled, a stop takes up to twice as
# long.
_PIECE = 0.6

# Runs that are played before the clock is looked at. Doubled, a piece may exceed `_PIECE` by twice as much.
_RUNS = 20

# Least number of pieces of an attack, however fast it is, so that its curve is seen to grow. Doubled, a fast attack is
# drawn twice as often.
_FRAMES = 12


@dataclass
class Board:
    """The matches of the current setup, whether they are running, and whether they were ever started."""

    key: str
    matches: list[Match]
    limits: list[Limit]
    running: bool = False
    begun: bool = False
    audits: list[Audit] | None = None

    @property
    def played(self) -> int:
        return sum(match.played for match in self.matches)

    @property
    def total(self) -> int:
        return sum(match.runs for match in self.matches)


def current(asked: Asked) -> Board:
    """The board of this session; it is made anew when a choice on which it depends changes."""
    options = (asked.runs, asked.attack, asked.payment, asked.alpha, asked.delta, asked.epsilon)
    key = f"{asked.setup.key} {options!r}"
    kept = st.session_state.get("data_audit_board")
    if kept is None or kept.key != key:
        matches = [Match(game, *options) for game in asked.setup.games]
        with say.spinner("Sampling the claim", show_time=True):
            kept = Board(key, matches, [Limit.of(match.claim) for match in matches])
        st.session_state["data_audit_board"] = kept
    if asked.now and not kept.begun:
        _set(kept, True)
    return kept


def verdict_metric(board: Board) -> cards.Metric:
    """The machine's verdict on the first game."""
    if board.audits is None:
        return cards.Metric("Machine's verdict", "none yet", f"{board.played} of {board.total} runs")
    first = board.audits[0]
    return cards.Metric(
        "Machine's verdict", "refuted" if first.refuted else "not refuted", _level(first),
        help="No number of runs verifies a claim; a true one is refuted with probability at most α.",
    )  # fmt: skip


def _level(audit: Audit) -> str:
    return audit.verdict.removeprefix("not ").removeprefix("refuted ").strip("()")


def _drawn(board: Board) -> list[Attacked]:
    return [
        Attacked(match.game.name, match.curve(), limit)
        for match, limit in zip(board.matches, board.limits, strict=True)
    ]


def chart(board: Board) -> Chart:
    """The attack's curve so far, and what the claim allows."""
    drawn = _drawn(board)
    alt = "Misses against false alarms: the attack so far and what the claim allows"
    return Chart("Attack", lambda: roc_figure(drawn, cards.theme_mode()), alt, "au_roc", 2)


def show(board: Board) -> None:
    """Show the buttons to run and stop, the progress, and what was found."""
    _buttons(board)
    for one in _drawn(board):
        if one.roc:
            say.caption(_sentence("area_under_curve", one.name, 1 - one.roc.area, 1 - one.limit.area))
    _results(board)


def table(board: Board) -> pd.DataFrame:
    """The curves as a table."""
    frames = [
        pd.DataFrame({"game": one.name, "false alarms": one.roc.false_alarm, "misses": 1 - one.roc.hit})
        for one in _drawn(board)
        if one.roc
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({"false alarms": [], "misses": []})


def _buttons(board: Board) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        done = board.audits is not None
        start = "Run again" if done else "Continue" if board.played else "Let the machine attack"
        say.button(  # one key for all labels: with two keys, an early rerun would leave the old button on the page
            "Stop" if board.running else start,
            key="au_run",
            icon=":material/stop:" if board.running else ":material/replay:" if done else ":material/play_arrow:",
            on_click=_again if done else _set,
            args=() if done else (board, not board.running),
        )
        text = f"{board.played} of {board.total} runs per side" + (", of both games" if len(board.matches) > 1 else "")
        if board.played and not board.running and board.audits is None:
            text += ": stopped, so no verdict (a run ended at will has no level)"
        say.progress(board.played / board.total, text=text)
    if not done:
        asked = board.matches[0]
        say.caption(_sentence("verdict_at_the_end", asked.alpha, asked.delta, asked.epsilon))


def _set(board: Board, running: bool) -> None:
    board.running, board.begun = running, True


def _again() -> None:
    st.session_state.pop("data_audit_board", None)


def advance(board: Board) -> None:
    """If the board is running, do a piece of work and then rerun the page to show it."""
    if not board.running:
        return
    started = time.monotonic()
    frame = board.played + max(_RUNS, board.total // _FRAMES)
    while board.played < min(board.total, frame) and time.monotonic() - started < _PIECE:
        match = next(match for match in board.matches if not match.done)
        match.play(_RUNS)
    if board.played >= board.total:
        with say.spinner("Judging"):
            board.audits = [match.verdict() for match in board.matches]
        board.running = False
    st.rerun()


def _results(board: Board) -> None:
    if board.audits is None:
        return
    if len(board.audits) > 1:
        caught = [f"{audit.game.name} in {100 * audit.roc.hits_at(0.05):.0f} %" for audit in board.audits]
        say.markdown(f"At 5 % false alarms the attack caught {' and '.join(caught)} of the runs.")
    for audit in board.audits:
        claim = audit.game.claim
        claimed = claim.epsilon(audit.delta), claim.delta(audit.epsilon)
        say.markdown(_sentence("runs_prove", audit, audit.game.name, *claimed))
        if audit.game.pair.densities is not None:
            exact = exact_audit(audit.game)
            say.markdown(_sentence("by_quadrature", exact.verdict, max(exact.excess, 0.0)))
