"""Two independent ways to the worst case: an unstructured dynamic program, and the theorem in 30-digit arithmetic."""

from __future__ import annotations

import mpmath as mp
import numpy as np

from tests.oracles import golden_section


def dynamic_program(
    epsilon: float, shift: float, kappa: float, direction: str, monotone: bool, levels: int = 200, step: float = 1 / 200
) -> float:
    """Best value over maps T(u) = u + s(u) on a grid, where s starts anywhere and rises by 0 or κ·step in each cell.

    No structure is assumed: each candidate is an admissible map (two Gauss points per cell for its integral), so the
    result approaches the supremum from below as the step shrinks. The step divides the ramp into whole levels.
    """
    levels = max(levels, int(np.ceil(shift / (kappa * step))))
    step = shift / (kappa * levels)
    if monotone:
        s = shift / levels * np.arange(-levels, 1) + (shift if direction == "add" else 0.0)
    else:
        s = shift / levels * np.arange(-levels, levels + 1)
    reach = 9.0 + shift + (1 if monotone else 2) * shift / kappa
    count = int(np.ceil(2 * reach / step))
    gamma, sign = np.exp(epsilon), 1.0 if direction == "add" else -1.0
    weights = (1.0, gamma) if direction == "add" else (gamma, 1.0)
    value = np.zeros(s.size)
    for i in range(count - 1, -1, -1):
        stay, climb = np.zeros(s.size), np.zeros(s.size)
        for fraction in (0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3)):
            u = -reach + (i + fraction) * step
            here = weights[0] * np.exp(-0.5 * u * u)
            flat = weights[1] * np.exp(-0.5 * (u + s) ** 2)
            steep = weights[1] * (1 + kappa) * np.exp(-0.5 * (u + s + kappa * step * fraction) ** 2)
            stay += np.maximum(sign * (here - flat), 0.0)
            climb += np.maximum(sign * (here - steep), 0.0)
        scale = step / (2 * np.sqrt(2 * np.pi))
        value = np.maximum(scale * stay + value, np.append(scale * climb[:-1] + value[1:], 0.0))
    return float(value.max())


class Theorem:
    """sup ∫ N̂(u(e), e) de for one (ε, Δ, κ) in 20-digit arithmetic, the best join by golden section."""

    def __init__(self, epsilon: float, shift: float, kappa: float, monotone: bool = True) -> None:
        mp.mp.dps = 20
        self.epsilon, self.shift, self.kappa = mp.mpf(epsilon), mp.mpf(shift), mp.mpf(kappa)
        self.excess = self.epsilon - mp.log1p(self.kappa)
        self.eta, self.stretch = 1 / self.kappa + mp.mpf(1) / 2, 1 + 1 / self.kappa
        self.monotone = monotone

    def log_value(self) -> mp.mpf:
        """log of the largest integral."""
        top = self.epsilon / self.shift + self.eta * self.shift
        close = min(mp.mpf(1), mp.log1p(self.kappa) / self.shift) / 2000
        if self.excess <= 0 and self.monotone:
            return mp.log(_largest(self.ramp, mp.mpf(-9), top + 9, close))
        if self.excess <= 0:
            points = [top * i / 32 for i in range(33)]
            values = [self.ramp(c) + self.ramp(-c) for c in points]
            best = values.index(max(values))
            ends = points[max(best - 1, 0)], points[min(best + 1, 32)]
            return mp.log(max(_largest(lambda c: self.ramp(c) + self.ramp(-c), *ends, close), values[0]))
        low, high = mp.log(self.shift) - 25, mp.log(self.shift)
        turn = golden_section(lambda x: -self.head(mp.exp(x)), low, high, mp.mpf(10) ** -11)
        if turn > high - mp.mpf(10) ** -9:
            return mp.log(self.arc(self.shift))
        start = self.head(mp.exp(turn))

        def joined(c):
            e = self.join(c, mp.exp(turn))
            return self.arc(e) + self.ramp(c, e)

        return mp.log(_largest(joined, start, max(top, start) + 1, close))

    def optimum_t(self, e: mp.mpf) -> mp.mpf:
        """T with e(T + e/2) − log(1 + e/T) = ε', by Newton's method from the left, where the left side is concave."""
        t = max(self.excess / e - e / 2, mp.mpf(10) ** -9)
        for _ in range(100):
            step = (e * (t + e / 2) - mp.log1p(e / t) - self.excess) / (e + e / (t * (t + e)))
            t -= step
            if abs(step) < t * mp.mpf(10) ** -17:
                break
        return t

    def head(self, e: mp.mpf) -> mp.mpf:
        """u*(e) + e/κ."""
        return self.optimum_t(e) + e * self.stretch

    def join(self, c: mp.mpf, turn: mp.mpf) -> mp.mpf:
        """e ≤ turn with head(e) = c, by bisection."""
        low, high = turn * mp.mpf(10) ** -15, turn
        for _ in range(70):
            middle = mp.sqrt(low * high)
            low, high = (middle, high) if self.head(middle) > c else (low, middle)
        return high

    def arc(self, e: mp.mpf) -> mp.mpf:
        """Along the unconstrained optimum from 0 to e, with T as the variable; e(T) by Newton's method from the right."""
        first, k = self.optimum_t(e), self.kappa

        def density(t):
            slope = max(t - 1 / t, mp.mpf(0))
            x = 2 * self.excess / (slope + mp.sqrt(slope**2 + 2 * self.excess))
            for _ in range(60):
                step = (x * (t + x / 2) - mp.log1p(x / t) - self.excess) / (t + x - 1 / (t + x))
                x -= step
                if abs(step) < x * mp.mpf(10) ** -17:
                    break
            u = t + x
            return mp.npdf(t) * (1 + k) / k * x**2 * (u * t + 1) / (u * (u * u - 1) * t)

        steps = (0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.4, 1, 3, 7, 14, 24, 45)
        return mp.quad(density, [mp.sqrt(first**2 + 2 * step) for step in steps], maxdegree=4)

    def gaussian(self, e: mp.mpf) -> mp.mpf:
        """∫_0^e φ(ε/x − x/2) dx, the Gaussian profile."""
        start = self.epsilon / e - e / 2
        with mp.workdps(40):
            return mp.ncdf(-start) - mp.exp(self.epsilon) * mp.ncdf(-start - e)

    def ramp(self, c: mp.mpf, low: mp.mpf = 0) -> mp.mpf:
        """∫ N̂(c − e/κ, e) de for e from low to Δ: capped between the roots of ce − ηe² = ε, else between those of ε'."""
        positive, capped = (self._roots(c, level) for level in (self.excess, self.epsilon))
        left, right = max(mp.mpf(low), positive[0]), min(self.shift, positive[1])
        if left >= right:
            return mp.mpf(0)
        inner = max(left, min(capped[0], right)), min(right, max(capped[1], left))
        if inner[0] >= inner[1]:
            return self._uncapped(c, left, right)
        middle = self.gaussian(inner[1]) - (self.gaussian(inner[0]) if inner[0] > 0 else 0)
        return self._uncapped(c, left, inner[0]) + middle + self._uncapped(c, inner[1], right)

    def _roots(self, c: mp.mpf, level: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
        square = c * c - 4 * self.eta * level
        if square <= 0:
            return mp.inf, -mp.inf
        return (c - mp.sqrt(square)) / (2 * self.eta), (c + mp.sqrt(square)) / (2 * self.eta)

    def _uncapped(self, c: mp.mpf, left: mp.mpf, right: mp.mpf) -> mp.mpf:
        if left >= right:
            return mp.mpf(0)
        k, gamma = self.kappa, mp.exp(self.epsilon)

        def density(t):
            with mp.workdps(35):
                u = (t + k * c) / (1 + k)
                return mp.npdf(t) - gamma / (1 + k) * mp.npdf(u)

        low, high = c - right * self.stretch, c - left * self.stretch
        near = min(max(mp.mpf(0), low), high)
        marks = {low, high, near}
        for step in (0.3, 1, 3, 7, 14, 24, 40):
            reach = mp.sqrt(near**2 + 2 * step) - abs(near)
            marks |= {near - reach, near + reach}
        marks = sorted(x for x in marks if max(low, near - 20) <= x <= min(high, near + 20))
        return mp.quad(density, marks, maxdegree=5)


def _largest(function, low: mp.mpf, high: mp.mpf, close: mp.mpf) -> mp.mpf:
    """Largest value of a unimodal function: golden section, then the vertex of a parabola."""
    x = golden_section(function, low, high, close)
    left, middle, right = (function(x + step) for step in (-close, 0, close))
    bend = left - 2 * middle + right
    vertex = x + close * (left - right) / (2 * bend) if bend < 0 else x
    return max(left, middle, right, function(vertex))
