"""Two independent ways to the worst case: an unstructured dynamic program, and the theorem in 30-digit arithmetic."""

from __future__ import annotations

import mpmath as mp
import numpy as np


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
    """sup ∫ N̂(u(e), e) de for one (ε, Δ, κ), from the definition of N̂; the best join by a dense double-precision scan."""

    def __init__(self, epsilon: float, shift: float, kappa: float, monotone: bool = True) -> None:
        self.epsilon, self.shift, self.kappa, self.monotone = epsilon, shift, kappa, monotone
        self.excess = epsilon - float(np.log1p(kappa))

    def integrand(self, u: np.ndarray, e: np.ndarray) -> np.ndarray:
        """N̂ over its own definition, up to 1/√(2π)."""
        k, eps = self.kappa, self.epsilon
        steep = ((1 + k) * np.exp(-0.5 * (u - e) ** 2) - np.exp(eps - 0.5 * u * u)) / k
        return np.where(u >= eps / e + e / 2, np.exp(-0.5 * (eps / e - e / 2) ** 2), np.maximum(steep, 0.0))

    def optimum_t(self, e: np.ndarray) -> np.ndarray:
        """T with e(T + e/2) − log(1 + e/T) = ε', by bisection."""
        low, high = np.zeros_like(e), np.abs(self.excess) / e + 2 + 1 / e
        for _ in range(200):
            middle = (low + high) / 2
            left = e * (middle + e / 2) - np.log1p(e / middle) < self.excess
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return high

    def best_join(self) -> float:
        """c of the best single ramp (ε' ≤ 0), or e_j of the best arc and ramp (ε' > 0), by scan and zoom."""
        fraction = (np.arange(20000) + 0.5) / 20000
        e, weight = self.shift * fraction**2, fraction
        if self.excess <= 0:
            top = self.epsilon / self.shift + self.shift * (1 / self.kappa + 0.5) + 4
            sides = (1,) if self.monotone else (1, -1)

            def value(c):
                return sum(weight @ self.integrand(side * c - e / self.kappa, e) for side in sides)

            low, high = 0.0, top
        else:
            t = self.optimum_t(e)
            z = t + e * (1 + 1 / self.kappa)
            on_arc = self.integrand(t + e, e)
            turn = z.argmin()
            if turn == e.size - 1:
                return self.shift

            def value(join):
                c = np.interp(join, e, z)
                return weight @ np.where(e <= join, on_arc, self.integrand(c - e / self.kappa, e))

            low, high = e[0], e[turn]
        for _ in range(9):
            points = np.linspace(low, high, 61)
            best = int(np.argmax([value(p) for p in points]))
            low, high = points[max(best - 1, 0)], points[min(best + 1, 60)]
        return (low + high) / 2

    def log_value(self, digits: int = 25) -> mp.mpf:
        """log of the integral at the best join, in mpmath."""
        join = self.best_join()
        with mp.workdps(digits):
            eps, width, k, join = mp.mpf(self.epsilon), mp.mpf(self.shift), mp.mpf(self.kappa), mp.mpf(join)
            excess = eps - mp.log1p(k)
            if excess <= 0:
                sides = (1,) if self.monotone else (1, -1)
                return mp.log(sum(self._ramp(side * join, mp.mpf(0)) for side in sides))
            t = mp.findroot(lambda t: join * (t + join / 2) - mp.log1p(join / t) - excess, self._t_guess(float(join)))

            def density(t):
                e = mp.findroot(lambda e: e * (t + e / 2) - mp.log1p(e / t) - excess, self._e_guess(float(t)))
                u = t + e
                return mp.npdf(t) * (1 + k) / k * e**2 * (u * t + 1) / (u * (u * u - 1) * t)

            steps = (0, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 18, 26, 36, 50)
            arc = mp.quad(density, [mp.sqrt(t * t + 2 * step) for step in steps], maxdegree=5)
            return mp.log(arc + (self._ramp(t + join + join / k, join) if join < width else 0))

    def _t_guess(self, e: float) -> float:
        return float(self.optimum_t(np.array([e]))[0])

    def _e_guess(self, t: float) -> float:
        slope = max(t - 1 / t, 0.0)
        return 2 * self.excess / (slope + np.sqrt(slope**2 + 2 * self.excess))

    def _ramp(self, c: mp.mpf, low: mp.mpf) -> mp.mpf:
        eps, width, k = mp.mpf(self.epsilon), mp.mpf(self.shift), mp.mpf(self.kappa)
        gamma, eta = mp.exp(eps), 1 / k + mp.mpf(1) / 2

        def integrand(e):
            u = c - e / k
            if e * u >= eps + e * e / 2:
                return mp.npdf(eps / e - e / 2)
            return max(mp.mpf(0), ((1 + k) * mp.npdf(u - e) - gamma * mp.npdf(u)) / k)

        points = [low, width]
        for level in (eps - mp.log1p(k), eps):
            disc = c * c - 4 * eta * level
            if disc > 0:
                points += [(c + sign * mp.sqrt(disc)) / (2 * eta) for sign in (-1, 1)]
        points += [(c - t) * k / (1 + k) for t in (-9, -6, -3, 0, 3, 6, 9)]
        tiny = mp.mpf(10) ** -30
        return mp.quad(integrand, sorted({p + tiny for p in points if low <= p <= width}))
