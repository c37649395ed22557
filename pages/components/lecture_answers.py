"""What the audience should see at each step of the lecture, in a sentence or two; numbers are computed when shown."""

from dpcore.exhibits.lessons import lecture
from pages.components import cache
from pages.components.words import number, times


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def ceiling() -> str:
    """The share of rounds that the best attacker wins."""
    win = cache.shared(lecture.best_guess, 1.0)
    return f"At σ = 1 the best attacker wins {_percent(win)} of the rounds. Nobody in the room beats that for long."


def more_noise() -> str:
    """How much more noise lowers this share."""
    before, after = cache.shared(lecture.best_guess, 1.0), cache.shared(lecture.best_guess, 5.0)
    return f"The bells widen until they overlap; the ceiling falls from {_percent(before)} to {_percent(after)}, barely above a coin."


def equal_budget() -> str:
    """Three mechanisms with the same ε at δ = 0, and their δ at a smaller ε."""
    found = cache.shared(lecture.of_equal_budget, 1.0, 0.5)
    listed = ", ".join(f"{name} {number(value)}" for name, value in found.items())
    return f"All three reach δ = 0 at ε = 1, but at ε = 0.5 δ is {listed}: the third hides you best. One number is not the curve."


def growth() -> str:
    """ε of a hundred answers."""
    one, many = cache.shared(lecture.growth, 10.0, 100, 1e-5)
    return f"From ε = {number(one, 4)} to {number(many, 4)}: {times(many / one)}, not 100 ×. Growth follows √k until ε is large."


def accountants() -> str:
    """ε by three accountants."""
    found = cache.shared(lecture.survey, 0.1, 100, 1e-5)
    return (
        f"Adding says ε = {number(found['basic'], 4)}, Rényi {number(found['renyi'], 4)}, the privacy-loss distribution "
        f"{number(found['pld'], 4)}. The survey is the same; only the proof is better."
    )


def gap() -> str:
    """A published bound, and the exact worst case."""
    published, tight = cache.shared(lecture.gap, 10.0, 5.0, 0.5)
    return (
        f"At ε = 0.5 the published bound charges δ = {number(published)}; the exact worst case is {number(tight)}, "
        f"{times(published / tight)} less. The noise was there all along."
    )


def impossible() -> str:
    """The probability that does not fit into the bins."""
    forced, _ = cache.shared(lecture.forced, 4, 256, 0.5)
    _, limit = cache.shared(lecture.forced, 40, 256, 0.5)
    return (
        f"Success on all 256 data sets forces probability {number(forced)} into the bins when there are no records: impossible. "
        f"With 40 records nothing is forced any more, and a private learner may succeed with {number(limit)}."
    )


def rows() -> str:
    """ε of the median patient and of the most exposed one."""
    median, most = cache.shared(lecture.exposed_rows, "diabetes", 1e-6)
    return (
        f"The median patient has ε = {number(median)}, the most exposed one {number(most)}, {times(most / median)} as much: "
        "far from the crowd in leverage, in residual, or in both."
    )


def drawn() -> str:
    """How much worse a draw is than the best answer."""
    before, after = (number(cache.shared(lecture.drawn_excess, epsilon)) for epsilon in (1.0, 4.0))
    return f"A draw is worse than the best answer by {before} on average at ε = 1, and by {after} at ε = 4."
