"""The guessing game by hand."""

import streamlit as st

from dpcore.audit import GuessingGame
from dpcore.figures.audit import guess_figure
from pages.components import cards, export
from pages.components.audit_setup import Setup
from pages.components.words import number


def current(setup: Setup) -> GuessingGame:
    """The game of this session; a new one when what is attacked changes."""
    kept = st.session_state.get("data_audit_guess")
    if kept is None or kept[0] != setup.key:
        with st.spinner("Running the release for reference", show_time=True):
            kept = (setup.key, GuessingGame(setup.games[0], references=setup.references))
        st.session_state["data_audit_guess"] = kept
    return kept[1]


def score(game: GuessingGame) -> list[cards.Metric]:
    """Your share of right guesses, the optimal attacker's on the same outputs, and the limit that the claim sets."""
    played = f"{game.correct} of {game.rounds}" if game.rounds else "guess to begin"
    optimal = f"{game.optimal_correct} of {game.rounds}" if game.rounds else "on the same outputs"
    return [
        cards.Metric("Your right guesses", _share(game.correct, game.rounds), played),
        cards.Metric("Optimal attacker", _share(game.optimal_correct, game.rounds), optimal,
                     help="Knows both output laws and answers by the likelihood ratio, on the outputs you saw."),
        cards.Metric("Limit set by the claim", f"{100 * game.limit:.1f} %", "in the long run",
                     help="(1 + δ(0))/2: no attacker whatever is right more often, if the claim is true. Luck can be, for a while."),
    ]  # fmt: skip


def _share(right: int, rounds: int) -> str:
    return f"{100 * right / rounds:.0f} %" if rounds else "no guess yet"


def board(setup: Setup, game: GuessingGame) -> dict:
    """The output to judge, among reference runs, and two buttons."""
    st.subheader("Guess by hand", anchor=False)
    fig = guess_figure(game.reference, game.shown, setup.shown, cards.theme_mode())
    export.chart(
        fig, key="au_guess_chart", alt="Reference outputs with and without the record, and the output to judge"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Without the record", key="au_without", on_click=game.guess, args=(False,))
        st.button("With the record", key="au_with", on_click=game.guess, args=(True,))
        st.button("Start over", key="au_reset", on_click=_forget, type="tertiary")
        if game.last is None:
            st.markdown(f"This output is {number(game.shown)}. Was the record in the data?")
        else:
            st.markdown(
                f"The last one was **{'with' if game.last else 'without'}** the record. And this, at {number(game.shown)}?"
            )
    return {"Guess": fig}


def _forget() -> None:
    st.session_state.pop("data_audit_guess", None)
