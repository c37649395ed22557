"""The numbers in what the audience should see at each step of the lecture; they are computed when they are shown."""

from collections.abc import Callable, Iterable

from dpcore.exhibits.lessons import lecture
from pages.components import cache
from pages.components.words import number, times


def _wins(sigma: float) -> str:
    """The share of rounds that the best attacker wins."""
    return f"{100 * cache.shared(lecture.best_guess, sigma):.1f} %"


def _equal_budget() -> Iterable[str]:
    """δ of three mechanisms at ε = 0.5 that have the same ε at δ = 0."""
    found = cache.shared(lecture.of_equal_budget, 1.0, 0.5)
    return [", ".join(f"{name} {number(value)}" for name, value in found.items())]


def _growth() -> Iterable[str]:
    """ε of one answer and of a hundred."""
    one, many = cache.shared(lecture.growth, 10.0, 100, 1e-5)
    return number(one, 4), number(many, 4), times(many / one)


def _accountants() -> Iterable[str]:
    found = cache.shared(lecture.survey, 0.1, 100, 1e-5)
    return [number(found[name], 4) for name in ("basic", "renyi", "pld")]


def _gap() -> Iterable[str]:
    """δ by the published bound and by the exact worst case."""
    published, tight = cache.shared(lecture.gap, 10.0, 5.0, 0.5)
    return number(published), number(tight), times(published / tight)


def _impossible() -> Iterable[str]:
    """The probability forced into the bins by no record, and the limit on success with 40 records."""
    forced, limits = zip(*(cache.shared(lecture.forced, records, 256, 0.5) for records in (4, 40)), strict=True)
    return number(forced[0]), number(limits[1])


def _rows() -> Iterable[str]:
    """ε of the median patient and of the most exposed one."""
    median, most = cache.shared(lecture.exposed_rows, "diabetes", 1e-6)
    return number(median), number(most), times(most / median)


NUMBERS: dict[str, Callable[[], Iterable[str]]] = {
    "ceiling": lambda: [_wins(1.0)],
    "more_noise": lambda: [_wins(1.0), _wins(5.0)],
    "equal_budget": _equal_budget,
    "growth": _growth,
    "accountants": _accountants,
    "gap": _gap,
    "impossible": _impossible,
    "rows": _rows,
    "drawn": lambda: [number(cache.shared(lecture.drawn_excess, epsilon)) for epsilon in (1.0, 4.0)],
}
