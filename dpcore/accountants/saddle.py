"""Composition by inverting the moment function on the vertical line through its saddle point."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore.accountants.moments import Moment, moment_of
from dpcore.accountants.parts import OfParts
from dpcore.accountants.pld.composed import Accountant
from dpcore.accountants.pld.loss_law import LossLaw
from dpcore.accountants.pld.outline import WIDEST_TILTS
from dpcore.errors import UnsupportedError
from dpcore.profiles import DIRECTIONS, Bound
from dpcore.profiles.roots import smallest_root
from dpcore.references import FormulaCard, formula_card

_CHUNK = 128  # points of the line that are evaluated together, and places tried at which atoms come back into phase
# Exponentials that one value may cost, about a second of work; beyond, the method is refused. Doubled, fewer
# compositions are refused.
_EXPONENTIALS = 2**25
_DEAD = np.finfo(float).eps  # size of the integrand, relative to the saddle point, at which the line ends
# Largest difference of log δ between one step of the trapezoid rule and half of it for which the result is accepted.
# Also the size of the integrand, relative to the saddle point, below which it may be left out where atoms are in phase.
_AGREEMENT = 1e-10


@dataclass(frozen=True)
class SaddleCurve(OfParts):
    r"""Composition from moment functions, without a grid and without a certificate; relative error about 1e-9 (1e-8 if discrete).

    .. math:: δ(ε) = \frac{1}{2πi} \int_{θ−i∞}^{θ+i∞} \frac{e^{\sum_j k_j K_j(s) − sε}}{s(s+1)} \, ds,
              \quad K_j(s) = \log E[e^{sω_j}]

    by the trapezoid rule on the line through the saddle point θ > 0, where the integrand decays fastest. Moments are
    closed forms where there are any, else integrals over the profile. Losses on one lattice, as of discrete Gaussians of one σ,
    are summed instead, over one period of the line.

    Raises
    ------
    UnsupportedError
        When evaluated where the integrand does not die out on the line, as for few discrete losses.

    References: zhu-dong-wang-2022.
    """

    bound: ClassVar[Bound] = Bound.ESTIMATE
    card: ClassVar[FormulaCard] = formula_card(__file__, "saddle_curve")

    @cached_property
    def _accountant(self) -> Accountant:
        return Accountant(self.parts, 1e-4, 2**20)

    @cached_property
    def _moments(self) -> dict[str, list[tuple[Moment, int]]]:
        states = self._accountant.directions
        return {name: [(moment_of(law)[0], count) for law, count in state.laws] for name, state in states.items()}

    @cached_property
    def _longest(self) -> int:
        """Most points of the line that may be evaluated."""
        laws = next(iter(self._accountant.directions.values())).laws
        return _EXPONENTIALS // sum(moment_of(law)[1] for law, _ in laws)

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        state = self._accountant.direction(direction)
        name = state.name
        values = [self._one(float(value), name) for value in epsilon.reshape(-1)]
        finite = np.array(values).reshape(epsilon.shape)
        return np.where(epsilon >= state.top, -np.inf, np.minimum(np.logaddexp(finite, state.log_infinite), 0.0))

    def _one(self, epsilon: float, name: str) -> float:
        state = self._accountant.directions[name]
        if epsilon >= state.top or np.isinf(epsilon):
            return -np.inf

        kernel, half_period = _along_the_line, np.inf
        lattice = _common_lattice(state.laws)
        if lattice is not None:
            step, offset = lattice
            kernel = partial(_at_lattice_points, step, step * (1 - (epsilon / step - offset) % 1))
            half_period = np.pi / step

        def exponent(s: np.ndarray) -> np.ndarray:
            return sum(count * moment(s) for moment, count in self._moments[name]) - s * epsilon + kernel(s)

        def on_axis(log_tilt: float) -> float:
            value = float(exponent(np.array([np.exp(log_tilt) + 0j])).real[0])
            return value if np.isfinite(value) else np.inf

        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            found = minimize_scalar(
                on_axis, bounds=(WIDEST_TILTS[0], WIDEST_TILTS[-1]), method="bounded", options={"xatol": 1e-6}
            )
            spacings = [] if lattice else self._spacings(state.laws)
            return self._line(exponent, float(np.exp(found.x)), spacings, half_period)

    def _spacings(self, laws: Sequence[tuple[LossLaw, int]]) -> list[float]:
        """Distances between losses that come back into phase along the line."""
        if any(law.mechanism.discrete and law.lattice is None for law, _ in laws):
            raise self._unsupported()
        pairs = [law.atoms for law, _ in laws if len(law.atoms) == 2]
        return [pair[1][0] - pair[0][0] for pair in pairs] + [
            law.lattice.step for law, _ in laws if law.lattice is not None
        ]

    def _line(self, exponent: Any, tilt: float, spacings: list[float], half_period: float) -> float:
        peak, ahead = exponent(np.array([tilt + 0j])).real[0], exponent(np.array([tilt * (1 + 1j / 64)])).real[0]
        step = 0.25 * tilt / 64 / np.sqrt(max(2 * (peak - ahead), 1e-12))
        if half_period < np.inf:
            step = half_period / np.ceil(half_period / step)
        end = min(self._last_echo(exponent, tilt, peak, spacings), half_period)
        total, previous, offset = 0.0, np.nan, 0.0
        while True:
            start, alive, last = 0, True, half_period / step - offset
            while alive:
                index = np.arange(start, start + _CHUNK)
                index = index[index < last + 0.5]
                values = np.exp(exponent(tilt + 1j * step * (index + offset)) - peak).real
                ends = (index == 0) | (index > last - 0.5) if offset == 0 else np.zeros(index.shape, dtype=bool)
                total += float(values.sum()) - 0.5 * float(values[ends].sum())
                start += _CHUNK
                alive = start * step < end or np.abs(values[-_CHUNK // 4 :]).max() > _DEAD
                alive = alive and start < last + 0.5
                if start > self._longest:
                    raise self._unsupported()
            reached = step * (1 - offset)
            value = peak + np.log(max(total, np.finfo(float).tiny) * reached / np.pi)
            if abs(value - previous) < _AGREEMENT:
                return float(value)
            previous, step, offset = value, reached, 0.5

    def _last_echo(self, exponent: Any, tilt: float, peak: float, spacings: list[float]) -> float:
        """The farthest place on the line where atoms of a loss are in phase and the integrand is not negligible."""
        last = 0.0
        for spacing in spacings:
            again = 2 * np.pi / spacing * np.arange(1, _CHUNK + 1)
            loud = np.exp(exponent(tilt + 1j * again).real - peak) > _AGREEMENT
            if loud[-1]:
                raise self._unsupported()
            last = max(last, float(again[loud].max(initial=0.0)) * (1 + 0.5 / _CHUNK))
        return last

    def _unsupported(self) -> UnsupportedError:
        return UnsupportedError(
            "the saddle-point integral does not converge here: the composed loss is discrete, or nearly (few randomised "
            "responses or Laplace mechanisms, rare large losses). Use method='pld'"
        )

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        names = DIRECTIONS if direction == "both" else (direction,)
        states = [self._accountant.direction(name) for name in names]
        epsilon, step = (np.maximum.reduce(pair) for pair in zip(*(s.guess(targets[0]) for s in states), strict=True))
        return smallest_root(excess, *targets, guess=epsilon, step=step)


def _common_lattice(laws: Sequence[tuple[LossLaw, int]]) -> tuple[float, float] | None:
    """(h, c) where every composed loss is (c + a whole number)·h; None where there is no such h."""
    found = [(law.lattice, count) for law, count in laws if law.lattice is not None]
    if len(found) < len(laws) or len({one.step for one, _ in found}) > 1:
        return None
    return found[0][0].step, sum(count * one.offset for one, count in found) % 1


def _along_the_line(s: np.ndarray) -> np.ndarray:
    """log of ∫_0^∞ e^{−sx}(1 − e^{−x}) dx = 1/(s(s+1))."""
    return -np.log(s * (s + 1))


def _at_lattice_points(step: float, gap: float, s: np.ndarray) -> np.ndarray:
    """log of h Σ_{j ≥ 0} e^{−sx}(1 − e^{−x}) at x = gap + jh: the same, as a sum over lattice losses above ε."""
    fall, later = -np.expm1(-s * step), -np.expm1(-(s + 1) * step)
    return np.log(step) - s * gap + np.log(later - np.exp(-gap) * fall) - np.log(fall) - np.log(later)
