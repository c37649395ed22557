"""The front door of composition: a list of mechanisms in, a bracket of curves out."""

from collections.abc import Callable, Iterable
from typing import Any

from dpcore import validation
from dpcore.accountants.parts import LargestPart, Parts, curve_of, in_closed_form, parts_of
from dpcore.accountants.pld import Accountant, ComposedCurve
from dpcore.accountants.pld.loss_law import law_of
from dpcore.accountants.rdp import ROUNDED_UP, RenyiComposition
from dpcore.accountants.saddle import SaddleCurve
from dpcore.accountants.theorems import AdvancedComposition, BasicComposition, OptimalComposition
from dpcore.errors import UnsupportedError
from dpcore.profiles import DIRECTIONS, Bound, PrivacyProfile
from dpcore.profiles.bracket import Bracket, Midpoint

_WIDTH = 1e-4  # relative width of δ between the two sides that is asked for by default; doubled, grids are coarser
# Longest Fourier transform by default. Doubled, fewer brackets are wider than asked for, and memory grows.
MAX_POINTS = 2**22
_FEWEST_POINTS = 2**8  # smallest value of `max_points` that is accepted


def compose(
    mechanisms: Iterable[Any], method: str = "pld", *, width: float = _WIDTH, max_points: int = MAX_POINTS
) -> Bracket:
    """Privacy of running all mechanisms on the same data, each as often as its count says, adaptively chosen or not.

    Parameters
    ----------
    mechanisms : list of mechanisms or of (mechanism, count) pairs; the order does not matter.
    method : str
        "pld" certified numerical composition, as exact as `width` asks; "saddle" a contour integral of the same curve,
        its `estimate` to about 1e-9 and without a certificate; "renyi" Rényi divergences added up; "basic",
        "advanced", "optimal" the composition theorems.
    width : float
        For "pld", the relative width of δ between the two sides to aim at; `Bracket.width` says what was reached.
    max_points : int
        For "pld", the longest Fourier transform; where it is reached the bracket is wider than asked for.

    Returns
    -------
    Bracket
        Both sides are privacy profiles. Except for "pld" the lower side is the largest single part; for
        "saddle" the upper side is that of "renyi".

    Raises
    ------
    ParameterError
        If the list is empty, or something in it is not a mechanism or not a count.
    UnsupportedError
        If the method does not apply to these mechanisms.

    Examples
    --------
    >>> import dpcore as dp
    >>> low, high = dp.compose([(dp.Gaussian(sigma=10.0), 100)]).epsilon(1e-5)
    >>> round(float(high), 3), bool(high - low < 1e-3)
    (4.377, True)
    """
    method = validation.choice("method", method, METHODS)
    width = validation.positive("width", width)
    if width >= 1:
        raise validation.ParameterError(f"width must be below 1, got {width:g}")
    max_points = validation.integer("max_points", max_points, minimum=_FEWEST_POINTS)
    parts = parts_of(mechanisms)
    return METHODS[method](parts, width=width, max_points=max_points)


def _certified(parts: Parts, *, width: float, max_points: int) -> Bracket:
    curve, given = curve_of(parts), parts
    parts = in_closed_form(parts)
    whole, count = parts[0]
    if len(parts) == 1 and count == 1:
        lower, upper = (
            (whole.with_noise(1 + sign * ROUNDED_UP) for sign in (1, -1)) if parts != given else (whole, whole)
        )
        return Bracket(lower, upper, whole, curve, "pld")
    accountant = Accountant(parts, width, max_points)
    lower, upper = (ComposedCurve(parts, side, width, max_points, accountant) for side in ("lower", "upper"))
    return Bracket(lower, upper, Midpoint(lower, upper), curve, "pld")


def _one_sided(name: str, make: Callable[[Parts], PrivacyProfile]) -> Callable[..., Bracket]:
    def bracket(parts: Parts, **_: Any) -> Bracket:
        upper = make(parts)
        lower = upper if upper.bound is Bound.EXACT else LargestPart(parts)
        return Bracket(lower, upper, upper, curve_of(parts), name)

    return bracket


def _saddle(parts: Parts, **_: Any) -> Bracket:
    for mechanism, _count in parts:
        _require_pair(mechanism)
    return Bracket(LargestPart(parts), RenyiComposition(parts), SaddleCurve(parts), curve_of(parts), "saddle")


def _require_pair(mechanism: PrivacyProfile) -> None:
    """Refuse a curve that is not convex in e^ε: a bound may have a concave corner, but no pair of distributions has."""
    chords = law_of(mechanism, DIRECTIONS[0]).chords
    if chords:
        place = "at ε = 0" if chords[0][0] < 0 < chords[0][1] else f"near ε = {abs(chords[0][1]):.2g}"
        raise UnsupportedError(
            f"{type(mechanism).__name__} is a bound whose curve has a concave corner {place}, so it is the curve of no pair of "
            "distributions and has no moment function; method='pld' takes the largest valid curve below it"
        )


METHODS: dict[str, Callable[..., Bracket]] = {
    "pld": _certified,
    "saddle": _saddle,
    "renyi": _one_sided("renyi", RenyiComposition),
    "basic": _one_sided("basic", BasicComposition),
    "advanced": _one_sided("advanced", AdvancedComposition),
    "optimal": _one_sided("optimal", OptimalComposition.of),
}
