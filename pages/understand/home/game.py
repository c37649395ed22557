"""Was Ada in? Ten noisy counts to judge, then the score beside the best that anybody can reach."""

import secrets

import streamlit as st

from dpcore.exhibits.home import study as home
from dpcore.mechanisms import Gaussian
from pages.components import cache, cards, full_window, say
from pages.components.say import md
from pages.components.words import number

_SEED, _GUESSES, _NOISE = "home_seed", "home_guesses", "home_noise"


def show(sigma: float, delta: float) -> None:
    """The round that is being played, or the score; a game that has begun keeps its noise."""
    st.session_state.setdefault(_SEED, secrets.randbelow(2**32))
    guesses = st.session_state.setdefault(_GUESSES, ())
    if not guesses:
        st.session_state[_NOISE] = sigma
    noise = st.session_state[_NOISE]
    game = home.deal(noise, st.session_state[_SEED])
    if full_window.numbers_shown():
        return
    with full_window.above(), st.container(border=True, key="home_game" if guesses else "unforetold_game"):
        if len(guesses) < home.ROUNDS:
            _ask(game, guesses, noise)
        else:
            _score(game, guesses, noise, delta)


def _ask(game: home.CountGame, guesses: tuple[bool, ...], noise: float) -> None:
    words, count = st.columns([2, 1], gap="medium", vertical_alignment="center")
    with words:
        counts = home.OTHERS, home.OTHERS + 1, number(noise)
        if full_window.is_on():
            say.markdown(
                md(
                    "**{}** patients without Ada, **{}** with her, published with noise (σ = {}). Was she counted?",
                    *counts,
                )
            )
        else:
            say.subheader("Was Ada in?", anchor=False)
            say.markdown(
                md(
                    "A hospital counts its patients: **{}** without Ada, **{}** with her, and a coin decided which. It publishes the "
                    "count with noise (σ = {}). You know all but the coin. Was she counted?",
                    *counts,
                )
            )
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for label, key, guess in (("She was in", "1", True), ("She was not", "2", False)):
                say.button(label, key=f"home_guess_{key}", shortcut=key, on_click=_guess, args=(guess,), type="primary")
            say.caption(_last(game, guesses), width="content")
    with count:
        played = len(guesses)
        say.metric(f"Published, round {played + 1} of {home.ROUNDS}", f"{game.answers[played]:.1f}", border=True)


def _last(game: home.CountGame, guesses: tuple[bool, ...]) -> str:
    if not guesses:
        return "Keys 1 and 2 answer too."
    truth = game.present[len(guesses) - 1]
    right = "Right" if guesses[-1] == truth else "Wrong"
    return f"{right}: she was {'in' if truth else 'not'}. So far {game.score(guesses)} of {len(guesses)} right."


def _score(game: home.CountGame, guesses: tuple[bool, ...], noise: float, delta: float) -> None:
    top = cache.shared(home.ceiling, Gaussian(noise))
    if not full_window.is_on():
        say.subheader("Was she in? Your score and the ceiling", anchor=False)
    cards.metric_row(
        [
            cards.Metric("You were right", f"{game.score(guesses)} of {home.ROUNDS}"),
            cards.Metric(
                "Best rule, same counts", f"{game.score(game.best_rule)} of {home.ROUNDS}",
                help="She was in, if the count is above 100.5.",
            ),
            cards.Metric(
                "Ceiling, in the long run", f"{100 * top.accuracy:.1f} %",
                help="No rule is right more often, whatever it knows besides the coin and however long it computes.",
            ),
            cards.Metric("Its odds", f"{number(top.odds)} to 1", help="Right guesses for each wrong one."),
        ]
    )  # fmt: skip
    if not full_window.is_on():
        say.markdown(
            md(
                "Luck lifts ten rounds above the ceiling, no skill does. A privacy guarantee is such a ceiling, promised before anybody "
                "plays: with ε alone, the odds of a guess at a fair coin are at most $e^ε$ to 1. Gaussian noise has no such ε, as a rare "
                "count far out says more than any. Its ε, {} at δ = {} for this noise, is a promise about every set of counts, however "
                "rare: none is more than $e^ε$ times as likely with Ada as without, but for δ (lesson 2).",
                number(float(Gaussian(noise).epsilon(delta))), number(delta),
            )
        )  # fmt: skip
    say.button("Play again", key="home_again", on_click=_again)


def _guess(said: bool) -> None:
    st.session_state[_GUESSES] = (*st.session_state[_GUESSES], said)


def _again() -> None:
    st.session_state[_GUESSES] = ()
    st.session_state[_SEED] = secrets.randbelow(2**32)
