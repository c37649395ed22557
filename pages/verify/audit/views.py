"""What the audit page shows: the game by hand, then the machine's attack on the same claim."""

from dataclasses import dataclass

import streamlit as st

from dpcore.audit import GuessingGame
from dpcore.exhibits.audit.figure import guess_figure, score_figure
from pages.components import cards, say
from pages.components.charts import Chart, abreast, aside, place
from pages.components.say import md
from pages.components.words import count, number
from pages.verify.audit import machine
from pages.verify.audit.sidebar import Asked
from pages.verify.audit.subject import Setup

_sentence = say.sentences(__file__)

# Rounds after which the page says how lucky the score is. Doubled, it waits for ten rounds.
_ENOUGH = 5
_STREAK = 3


def current(setup: Setup) -> GuessingGame:
    """The game of this session; it is made anew when what is attacked changes."""
    kept = st.session_state.get("data_audit_guess")
    if kept is None or kept[0] != setup.key:
        with say.spinner("Running the release for reference", show_time=True):
            kept = (setup.key, GuessingGame(setup.games[0], references=setup.references))
        st.session_state["data_audit_guess"] = kept
    return kept[1]


def score(game: GuessingGame) -> list[cards.Metric]:
    """Cards for the shares of right guesses, of the reader and of the optimal attacker, and for the claim's limit."""
    played = f"{game.correct} of {game.rounds}" if game.rounds else "guess to begin"
    optimal = f"{game.optimal_correct} of {game.rounds}" if game.rounds else "on the same outputs"
    return [
        cards.Metric("Your right guesses", _share(game.correct, game.rounds), played),
        cards.Metric("Optimal attacker", _share(game.optimal_correct, game.rounds), optimal,
                     help="Knows both output laws and answers by the likelihood ratio, on the outputs you saw."),
        cards.Metric("Limit set by the claim", f"{100 * game.limit:.1f} %", "in the long run",
                     help=md("(1 + δ(0))/2: no attacker whatever is right more often, if the claim is true. Luck can be, for a while.")),
    ]  # fmt: skip


def _share(right: int, rounds: int) -> str:
    return f"{100 * right / rounds:.0f} %" if rounds else "no guess yet"


def ask(game: GuessingGame) -> None:
    """Show the question and two buttons, and whether the last guess was right."""
    say.markdown(md("A coin decided. Guess from this output."))
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, present, key, shortcut in (
            ("With the record", True, "au_with", "1"), ("Without the record", False, "au_without", "2"),
        ):  # fmt: skip
            say.button(
                label, key=key, on_click=game.guess, args=(present,), shortcut=shortcut, wrap=True, type="primary"
            )
        say.markdown(_answer(game))
        if game.rounds:
            say.button("Start over", key="au_reset", on_click=_forget, type="tertiary")


def guess(setup: Setup, game: GuessingGame) -> Chart:
    """The output to judge among practice runs."""
    return Chart(
        "Guess", lambda: guess_figure(game.reference, game.shown, game.history, setup.shown, cards.theme_mode()),
        "Reference outputs with and without the record, and the output to judge", "au_guess_chart", 3,
    )  # fmt: skip


def scored(game: GuessingGame) -> list[Chart]:
    """Show the score below the cards, once there is one."""
    if not game.rounds:
        return []
    chart = Chart("Score", lambda: score_figure(game.running(), game.limit, cards.theme_mode()),
                  "Share of right guesses so far, yours and the optimal attacker's", "au_score_chart")  # fmt: skip
    with aside():
        said = "In the strip above: earlier outputs in the colour of the truth, crossed where you were wrong."
        if game.rounds >= _ENOUGH:
            said += _sentence("luck", 100 * game.limit, game.correct, game.rounds, _percent(game.luck))
        say.caption(said)
        place(chart)
    return [chart]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{number(100 * share, 2)} %"


def _answer(game: GuessingGame) -> str:
    """Words on whether the last guess was right, and the output to judge now."""
    if not game.history:
        return f"This one is {number(game.shown)}."
    last = game.history[-1]
    truth = f"it was {'with' if last.present else 'without'} the record"
    if not last.right:
        said = md(":material/close: **Wrong**, {}.", truth)
    elif game.streak >= _STREAK:
        said = md(":material/check: **Right**, {}; {} in a row.", truth, game.streak)
    else:
        said = md(":material/check: **Right**, {}.", truth)
    return md("{} Now {!n}.", said, game.shown)


def _forget() -> None:
    st.session_state.pop("data_audit_guess", None)


@dataclass(frozen=True)
class Shown:
    """The choices, with the game and the attack of this session."""

    asked: Asked
    board: machine.Board
    game: GuessingGame

    @property
    def setup(self) -> Setup:
        return self.asked.setup


def begun(asked: Asked) -> Shown:
    """The choices with their game and attack, from this session or made anew."""
    return Shown(asked, machine.current(asked), current(asked.setup))


def headline(shown: Shown) -> str:
    """The question and the claim's limit on guesses, then the machine's verdict once there is one."""
    verdict = machine.verdict_metric(shown.board)
    if verdict.value == "none yet":
        return f"Was the record in? The claim: at most {100 * shown.game.limit:.1f} % right guesses"
    return f"After {count(shown.board.total)} runs a side the claim is {verdict.value}"


def metrics(shown: Shown) -> list[cards.Metric]:
    """Cards for the score of the game, and for the machine's verdict."""
    return [*score(shown.game), machine.verdict_metric(shown.board)]


def body(shown: Shown) -> list[Chart]:
    """Show both games side by side, and what is known without a run."""
    ask(shown.game)
    both = [guess(shown.setup, shown.game), machine.chart(shown.board)]
    abreast(both)
    machine.show(shown.board)
    charts = [*both, *scored(shown.game)]
    if shown.setup.table is not None:
        say.caption(md("Known without a run, from both output laws:"))
        say.table(shown.setup.table, hide_index=True)
    return charts


def confidential(shown: Shown) -> str:
    """The warning about attacks on private rows."""
    attacked = shown.setup.attacked
    said = "Results of an attack on rows of your data are as confidential as the data."
    return f"{said} Attacked: {attacked}." if attacked else ""


def notes(shown: Shown) -> list[str]:
    """Sentences on what to notice in this game."""
    setup, board = shown.setup, shown.board
    points = [_sentence("guessing_has_ceiling"), _sentence("solid_curve_claim"), _sentence("thresholds_paid_for")]
    points[:0] = setup.notes
    if len(setup.games) == 2 and setup.private:
        hits = [float(limit.hit[int(abs(limit.false_alarm - 0.05).argmin())]) for limit in board.limits]
        points.insert(0, _sentence("exposure_real", 100 * hits[0], 100 * hits[1]))  # fmt: skip
    elif setup.private:
        points.insert(0, _sentence("claim_covers_worst_data"))  # fmt: skip
    if setup.share < 1:
        points.insert(
            0, md("**This run cheats.** It uses {:.0f} % of the noise that its claim assumes.", 100 * setup.share)
        )
    return points


def program(shown: Shown) -> str:
    """The lines behind the verdict."""
    asked = shown.asked
    return (
        f"{asked.setup.code}result = dp.audit.audit(\n    game, {asked.runs}, rng=0, attack={asked.attack!r}, "
        f"payment={asked.payment!r},\n    alpha={asked.alpha:g}, delta={asked.delta:g}, epsilon={asked.epsilon:g},\n)\n"
        "result.verdict, result.epsilon_lower, result.delta_lower"
    )
