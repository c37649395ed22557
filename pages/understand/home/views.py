"""The contents of the first page: the picture with the game beside it, numbers, and links to three other pages."""

import secrets
from collections.abc import Sequence

import streamlit as st

from dpcore.exhibits.home import study as home
from dpcore.mechanisms import Gaussian
from pages.components import cache, cards, data_input, full_window, routes, running_order, say, screen
from pages.components.charts import Chart, row
from pages.components.say import md
from pages.components.words import number
from pages.understand.home import picture
from pages.understand.home.picture import State

_sentence = say.sentences(__file__)

_SEED, _GUESSES, _NOISE = "home_seed", "home_guesses", "home_noise"
_FOLLOWS = {  # what follows from a guess; the key says (whether she was counted, whether the guess was right)
    (True, True): "Right: she was in. You know her illness, and her premium doubles.",
    (True, False): "Wrong: she was in. Her illness stays her own.",
    (False, True): "Right: she was not in. Nothing happens to her.",
    (False, False): "Wrong: she was not in, and pays for an illness that she does not have.",
}
_WAYS_IN = (
    ("Learn", _sentence("way_to_learn"), "understand/learn", "Open the lessons"),
    ("Your data", _sentence("way_to_data"), "your_data/per_instance", "Open per-instance privacy"),
    ("Verify", _sentence("way_to_verify"), "verify/cross_check", "Open the cross-check"),
)
NOTES = (
    _sentence("the_curve_says_it"),
    _sentence("more_noise_widens_both"),
    md("**δ is a choice of where to look** at one and the same curve: moving it changes ε, not the mechanism."),
)


def show(sigma: float, delta: float) -> None:
    """Show the current round of the game, or the score at its end. A game that has begun keeps its noise σ."""
    st.session_state.setdefault(_SEED, secrets.randbelow(2**32))
    guesses = st.session_state.setdefault(_GUESSES, ())
    if not guesses:
        st.session_state[_NOISE] = sigma
    noise = st.session_state[_NOISE]
    game = home.deal(noise, st.session_state[_SEED])
    if full_window.numbers_shown():
        return
    with full_window.above(), st.container(border=True, gap="small", key="home_game" if guesses else "unforetold_game"):
        if len(guesses) < home.ROUNDS:
            _ask(game, guesses, noise)
        else:
            _score(game, guesses, noise, delta)


def _ask(game: home.CountGame, guesses: tuple[bool, ...], noise: float) -> None:
    played = len(guesses)
    words, count = st.columns([3, 1], vertical_alignment="center") if full_window.is_on() else (st.container(),) * 2
    with words:
        say.markdown(_sentence("the_game", home.OTHERS, home.OTHERS + 1, noise))
    with count:
        say.metric(f"Published, round {played + 1} of {home.ROUNDS}", f"{game.answers[played]:.1f}")
    with words:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for label, key, guess in (("She was in", "1", True), ("She was not", "2", False)):
                say.button(label, key=f"home_guess_{key}", shortcut=key, on_click=_guess, args=(guess,), type="primary")
        say.caption(_last(game, guesses, noise))


def _last(game: home.CountGame, guesses: tuple[bool, ...], noise: float) -> str:
    """A sentence on the last guess: what followed, how probable the count made her presence, and the score."""
    if not guesses:
        return "A right “she was in” doubles her premium."
    last = len(guesses) - 1
    follows = _FOLLOWS[game.present[last], guesses[last] == game.present[last]]
    known = 100 * home.belief(noise, game.answers[last])
    return f"{follows} {game.answers[last]:.1f} made it {known:.0f} % that she was in. {game.score(guesses)} of {last + 1} right."


def _score(game: home.CountGame, guesses: tuple[bool, ...], noise: float, delta: float) -> None:
    top, right = cache.shared(home.ceiling, Gaussian(noise)), game.score(guesses)
    with st.container(horizontal=True, gap="medium"):
        say.metric("You were right", f"{right} of {home.ROUNDS}", width="content")
        if not running_order.covered():
            say.metric(
                "Ceiling, in the long run", f"{100 * top:.1f} %", width="content",
                help="No rule is right more often, whatever it knows besides the coin and however long it computes.",
            )  # fmt: skip
    found, blamed = game.outcome(guesses)
    say.markdown(_sentence("what_came_of_it", found, sum(game.present), blamed, home.ROUNDS - sum(game.present)))  # fmt: skip
    if not full_window.is_on() and not running_order.covered():
        say.caption(_sentence("luck", Gaussian(noise).epsilon(delta), delta))
    say.button("Play again", key="home_again", on_click=_again)


def _guess(said: bool) -> None:
    st.session_state[_GUESSES] = (*st.session_state[_GUESSES], said)


def _again() -> None:
    st.session_state[_GUESSES] = ()
    st.session_state[_SEED] = secrets.randbelow(2**32)


def body(shown: State) -> Sequence[Chart]:
    """Show the picture and, where there is room beside it, the game."""
    with st.sidebar:
        say.caption("Everything runs on this computer: no account, no internet, no telemetry.")
    if screen.size() == "phone":
        picture.show(shown)
    else:
        left, right = st.columns([3, 2], gap="small")
        with left:
            picture.show(shown)
        with right:
            show(shown.sigma, shown.delta)
    return picture.charts(shown)


def metrics(shown: State) -> Sequence[cards.Metric]:
    """Cards for the threshold's two errors, and for what the mechanism guarantees."""
    mechanism, attack = shown.mechanism, shown.attack
    return [
        cards.Metric("False alarms", f"{100 * attack.false_alarms:.1f} %", help="She was not counted, and the threshold says so."),
        cards.Metric("Misses", f"{100 * attack.misses:.1f} %", help="She was counted, and the threshold says she was not."),
        cards.Metric(
            "Detected", f"{100 * (1 - float(mechanism.tradeoff(0.05))):.1f} %", "at 5 % false alarms",
            help="Best possible detection rate, whatever the attacker knows or computes; guessing at random detects 5 %.",
        ),
        cards.Metric(
            md("ε at δ = {!n}", shown.delta), number(float(mechanism.epsilon(shown.delta))), "nats",
            help=md("No set of counts is more than $e^ε$ times as likely with Ada as without, but for δ."),
        ),
    ]  # fmt: skip


def below(shown: State) -> None:
    """Show the game (on a phone), the chart of the best attacks, and links to three other pages."""
    if screen.size() == "phone":
        show(shown.sigma, shown.delta)
    if running_order.covered():
        return
    row(picture.charts(shown))
    for column, (title, words, page, label) in zip(st.columns(3, gap="medium"), _WAYS_IN, strict=True):
        with column, st.container(border=True, height="stretch"):
            say.subheader(title, anchor=False)
            say.markdown(words)
            if title == "Your data":
                data_input.drop_in(page)
            routes.page_link(page, label)
