"""δ(ε) of one row by integrals over θ in one and two dimensions, refined until they agree with themselves.

Losses, their clipping, objectives and densities are written out here: nothing is shared with `dpcore`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr

from tests.oracles import LOSSES

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
RAYS = 180
HALVINGS = 80
DROPPED = 25.0  # nats below δ that panels and regions may be left out
NEXT = {1: 1e-9, 2: 1e-2}  # nats, by dimension: in one, δ may come from a peak as low as this
ENDLESS = 1e4  # nats that stand for a density beyond what numbers hold
BENDS = np.array([-32.0, -16.0, -8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
ACCURACY = 1e-6  # of a sum over θ
PLANE = 2e-4  # of a sum over lines: what its panels may differ by from their halves, together
ACROSS, ALONG, DOUBLED = 0.2, 0.1, 10  # between lines at first, between points on them, and how often panels are halved
ACTIVE = 20.0  # beyond the place where f'' is largest, that it is nothing, or as at its end
TOGETHER = 200  # lines at a time
WIDEST = 1.5  # by which predictors may change from point to point where their losses bend
NEWTON = 200  # steps from one point of a line to the next


def _rising(function, low, high, level):
    """Where increasing functions pass levels, by halving [low, high]; an end where they do not."""
    low, high = np.broadcast_arrays(low + 0 * level, high + 0 * level)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        under = function(middle) < level
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return 0.5 * (low + high)


@dataclass(frozen=True)
class Integrand:
    """p (1 − e^{−excess})₊, or p itself."""

    parts: Callable  # θ ↦ log p and the excess, or None
    cut: bool = False

    def __call__(self, theta):
        log_law, excess = self.parts(theta)
        p = np.exp(log_law)
        return p * -np.expm1(-np.maximum(excess, 0.0)) if self.cut else p


@dataclass(eq=False)
class Setting:
    """One row against the others, under objective perturbation (σ) or a posterior sample (γ).

    Directions are ("remove", "add"): the law with the row against the law without it, and the other way round.
    """

    loss: str
    X: np.ndarray
    y: np.ndarray
    lam: float
    clip: float | None
    row: int
    sigma: float | None = None
    gamma: float | None = None
    log_norms: dict = field(default_factory=dict)

    def __post_init__(self):
        X = self.X[:, None] if self.X.ndim == 1 else self.X
        length = np.linalg.norm(X[self.row])
        u = X[self.row] / length
        turn = np.array([[1.0]]) * np.sign(u[0]) if u.size == 1 else np.array([u, [-u[1], u[0]]])
        self.X = X @ turn.T  # the first coordinate of θ is along x
        self.size = u.size
        self.limit = np.full(len(X), 1e300)
        if self.clip is not None:
            self.limit = self.clip / np.maximum(np.linalg.norm(X, axis=1), 1e-300)

    def parts(self, theta, names=(0, 1, 2)):
        """f, f', f'' of every row at points (k, d), clipped, each (k, n)."""
        u, y, limit = theta @ self.X.T, self.y, self.limit
        f, slope, bend, _ = LOSSES[self.loss]
        s = slope(u, y)
        result = {1: np.clip(s, -limit, limit)}
        if 2 in names:
            result[2] = np.where(abs(s) < limit, bend(u, y), 0.0)
        if 0 in names:
            if self.clip is None:
                result[0] = f(u, y)
            else:
                low, high = self.ends
                near = np.clip(u, low, high)
                result[0] = f(near, y) + np.clip(slope(near, y), -limit, limit) * (u - near)
        return [result[name] for name in names]

    @cached_property
    def ends(self):
        """Where f' leaves ±limit (n,), or far away where it never does."""
        slope = LOSSES[self.loss][1]
        far = 400.0 if self.loss == "poisson" else 1e7
        return [_rising(lambda u: slope(u, self.y), -far, far, side * np.minimum(self.limit, 1e6)) for side in (-1, 1)]

    @cached_property
    def jumps(self):
        """Predictors where f'' jumps: (count, n)."""
        found = LOSSES[self.loss][3](self.y)
        return np.array([*found, *(self.ends if self.clip is not None else [])]).reshape(-1, len(self.y))

    @cached_property
    def bends(self):
        """Predictors around those where f'' is largest: (count, n)."""
        centre = {"logistic": 0 * self.y, "poisson": np.log(np.maximum(self.y, 0) + 0.5)}.get(self.loss, self.y)
        return centre + BENDS[:, None]

    @cached_property
    def active(self):
        """Between which predictors a loss bends, and over which change of them it may come and go: (3, n)."""
        low, high = (self.bends[BENDS == 0][0] + side * ACTIVE for side in (-1, 1))
        if len(self.jumps):
            low, high = np.maximum(low, self.jumps.min(axis=0)), np.minimum(high, self.jumps.max(axis=0))
        return np.array([low, high, np.clip((high - low) / 3, 1e-6, 1.0)])

    def keep(self, whole):
        kept = np.ones(len(self.y))
        kept[self.row] = 1.0 if whole else 0.0
        return kept

    def gradient(self, theta, whole):
        return (self.parts(theta, (1,))[0] * self.keep(whole)) @ self.X + self.lam * theta

    def value(self, theta, whole):
        return self.parts(theta, (0,))[0] @ self.keep(whole) + 0.5 * self.lam * np.square(theta).sum(axis=1)

    def log_density(self, theta, whole):
        if self.gamma is not None:
            return -self.gamma * self.value(theta, whole) - self.log_norms.get(whole, 0.0)
        return self.log_noise(theta, self.parts(theta, (1, 2)), whole)

    def log_noise(self, theta, parts, whole):
        slope, bend = (part * self.keep(whole) for part in parts)
        b = slope @ self.X + self.lam * theta
        pairs = self.X[:, :, None] * self.X[:, None, :]
        H = (bend @ pairs.reshape(len(self.X), -1)).reshape(-1, self.size, self.size) + self.lam * np.eye(self.size)
        determinant = H[:, 0, 0] if self.size == 1 else H[:, 0, 0] * H[:, 1, 1] - H[:, 0, 1] ** 2
        with np.errstate(over="ignore"):
            distance = 0.5 * np.square(b / self.sigma).sum(axis=1)
        return np.log(determinant) - distance - self.size * np.log(self.sigma * np.sqrt(2 * np.pi))

    def log_pair(self, theta, whole):
        """log densities with the row and without it, or the other way round."""
        if self.gamma is not None:
            return self.log_density(theta, whole), self.log_density(theta, not whole)
        parts = self.parts(theta, (1, 2))
        return self.log_noise(theta, parts, whole), self.log_noise(theta, parts, not whole)

    @functools.cache  # noqa: B019 — settings are few and live as long as their case
    def minimiser(self, whole):
        """By halving along the first coordinate inside halving along the second: slow and sure."""
        far = self.reach

        def first(second):
            def slope(one):
                return self.gradient(self._points(one, second), whole)[:, 0]

            return _rising(slope, -far, far, np.zeros_like(second))

        second = np.zeros(1)
        if self.size == 2:
            second = _rising(lambda at: self.gradient(self._points(first(at), at), whole)[:, 1], -far, far, np.zeros(1))
        return self._points(first(second), second)[0]

    @property
    def reach(self):
        """No minimiser is further out: λ‖θ‖ ≤ ‖∇ of the losses at 0‖."""
        return 1e-9 + np.linalg.norm(self.parts(np.zeros((1, self.size)), (1,))[0] * np.linalg.norm(self.X, axis=1)) * (
            len(self.y) / self.lam
        )

    def _points(self, first, second):
        return first[:, None] if self.size == 1 else np.column_stack([first, second])

    def box(self, whole, log_delta):
        """Sides of a box outside which the law has less than e^-DROPPED of δ."""
        centre, depth = self.minimiser(whole), DROPPED - log_delta
        angle = np.linspace(0, 2 * np.pi, RAYS, endpoint=False)
        rays = np.array([[1.0], [-1.0]]) if self.size == 1 else np.column_stack([np.cos(angle), np.sin(angle)])

        def rise(r):
            theta = centre + r[:, None] * rays
            if self.gamma is None:
                return (self.gradient(theta, whole) * rays).sum(axis=1)
            return self.value(theta, whole)

        if self.gamma is None:
            level, far = self.sigma * np.sqrt(2 * depth), self.sigma * np.sqrt(2 * depth) / self.lam
        else:
            level = self.value(centre[None], whole)[0] + 1.5 * depth / self.gamma
            far = np.sqrt(3 * depth / self.gamma / self.lam)
        edge = centre + _rising(rise, 0.0, 1.001 * far, np.full(len(rays), level))[:, None] * rays
        low, high = edge.min(axis=0), edge.max(axis=0)
        return centre, low - 0.02 * (high - low), high + 0.02 * (high - low)

    def edges(self, centre, low, high, axis, fixed, whole):
        """Ends of panels along an axis through points whose other coordinate is `fixed` (k,): (k, count)."""
        count = fixed.size

        def along(at, part):
            shape = at.shape
            other = np.broadcast_to(fixed[:, None], shape).ravel()
            pair = (at.ravel(), other) if axis == 0 else (other, at.ravel())
            return self.gradient(self._points(*pair), part)[:, axis].reshape(shape)

        a, b = low[axis], high[axis]
        listed = [np.tile(np.linspace(a, b, 9), (count, 1))]
        for part in (whole, not whole):
            ends = along(np.tile([[a, b]], (count, 1)), whole)
            spaced = np.sinh(np.linspace(-5, 5, 11)) / np.sinh(5)
            level = np.where(spaced < 0, np.minimum(ends[:, :1], 0), np.maximum(ends[:, 1:], 0)) * abs(spaced)
            if self.gamma is None:
                level = np.hstack([level, np.tile(np.linspace(-1, 1, 13) * np.abs(ends).max(), (count, 1))])
            listed.append(_rising(lambda at, part=part: along(at, part), a, b, level))
        if axis == 0:
            other = fixed[:, None, None] * self.X[:, 1] if self.size == 2 else 0.0
            own = np.arange(len(self.y)) == self.row
            for places, rows in ((self.jumps, own | True), (self.bends[::3], ~own), (self.bends, own)):
                with np.errstate(all="ignore"):
                    at = ((places - other) / self.X[:, 0])[..., rows]
                listed.append(
                    np.nan_to_num(np.broadcast_to(at, (count, len(places), rows.sum())).reshape(count, -1), nan=a)
                )
        return np.sort(np.clip(np.hstack(listed), a, b), axis=1)

    def line(self, second, low, high, centre, whole, of, floor):
        """∫ `of` over the first coordinate at each second one (k,), by panels halved until they agree; and what they miss."""
        edge = self.edges(centre, low, high, 0, second, whole)
        place = np.repeat(np.arange(second.size), edge.shape[1] - 1)
        a, b = edge[:, :-1].ravel(), edge[:, 1:].ravel()
        total, missed = np.zeros(second.size), np.zeros(second.size)

        def panel(place, a, b):
            at = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * NODES
            theta = self._points(at.ravel(), np.repeat(second[place], NODES.size))
            return 0.5 * (b - a) * (of(theta).reshape(at.shape) @ WEIGHTS)

        seen = b > a
        place, a, b = place[seen], a[seen], b[seen]
        if of.cut:
            place, a, b = self.parted(place, a, b, second, of)
        value = panel(place, a, b)
        for _ in range(60):
            middle = 0.5 * (a + b)
            left, right = panel(place, a, middle), panel(place, middle, b)
            off = abs(left + right - value)
            here = np.bincount(place, left + right, minlength=second.size) + total
            largest = max(here.max(), floor)
            open_ = (off > ACCURACY * np.maximum(largest, 0.0) / 10) & (b - a > 1e-13 * (1 + abs(a)))
            done = ~open_
            total += np.bincount(place[done], (left + right)[done], minlength=second.size)
            missed += np.bincount(place[done], off[done], minlength=second.size)
            if done.all():
                break
            place = np.concatenate([place[open_]] * 2)
            a, b, value = (
                np.concatenate(pair)
                for pair in ((a[open_], middle[open_]), (middle[open_], b[open_]), (left[open_], right[open_]))
            )
        return total, missed

    def parted(self, place, a, b, second, of):
        """Panels halved until each is on one side of where the integrand begins, or next to it, but for those of no mass."""
        kept = []
        for _ in range(60):
            at = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * NODES
            theta = self._points(at.ravel(), np.repeat(second[place], NODES.size))
            log_law, value = (part.reshape(at.shape) for part in of.parts(theta))
            low, high = value.min(axis=1), value.max(axis=1)
            wide = 3 * (high - low)
            seen = log_law.max(axis=1) + np.log(b - a) > -DROPPED
            open_ = (
                seen & (high + wide > 0) & (low - wide < 0) & (wide > NEXT[self.size]) & (b - a > 1e-13 * (1 + abs(a)))
            )
            kept.append((place[~open_], a[~open_], b[~open_]))
            if not open_.any():
                break
            place, a, b = place[open_], a[open_], b[open_]
            middle = 0.5 * (a + b)
            place, a, b = np.tile(place, 2), np.concatenate([a, middle]), np.concatenate([middle, b])
        return (np.concatenate(parts) for parts in zip(*kept, strict=True))

    def integral(self, of, whole, log_delta):
        """∫ `of` over θ where the law with (or without) the row has mass, and by how much two resolutions differ."""
        centre, low, high = self.box(whole, log_delta)
        if self.size == 1:
            total, missed = self.line(np.zeros(1), low, high, centre, whole, of, 0.0)
            return float(total[0]), float(missed[0])
        edge = self.edges(centre, low, high, 1, centre[:1], whole)[0]
        edge = edge[np.concatenate([[True], np.diff(edge) > 1e-9 * (edge[-1] - edge[0])])]
        a, b = edge[:-1], edge[1:]
        floor = 0.0

        def panels(a, b):
            nonlocal floor
            at = (0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * NODES).ravel()
            value, off = np.empty(at.size), np.empty(at.size)
            for part in np.array_split(np.arange(at.size), max(1, at.size * len(self.y) // 4000)):
                value[part], off[part] = self.line(at[part], low, high, centre, whole, of, floor)
                floor = max(floor, value[part].max())
            return tuple(0.5 * (b - a) * (one.reshape(a.size, -1) @ WEIGHTS) for one in (value, off))

        value, _ = panels(a, b)
        total = missed = 0.0
        for _ in range(14):
            middle = 0.5 * (a + b)
            (left, one), (right, two) = panels(a, middle), panels(middle, b)
            off = abs(left + right - value)
            whole_sum = total + (left + right).sum()
            open_ = off > ACCURACY * whole_sum
            total += (left + right)[~open_].sum()
            missed += (off + one + two)[~open_].sum()
            if not open_.any():
                return total, missed
            a, b, value = (
                np.concatenate(pair)
                for pair in ((a[open_], middle[open_]), (middle[open_], b[open_]), (left[open_], right[open_]))
            )
        return total + value.sum(), missed + off[open_].sum()

    def log_delta(self, epsilon, log_delta):
        """log δ(ε) as (remove, add), and the relative accuracy of each; `log_delta` is about what is expected."""
        if self.gamma is not None and not self.log_norms:
            norms = {}
            for whole in (True, False):
                top = -self.gamma * self.value(self.minimiser(whole)[None], whole)[0]
                mass, _ = self.integral(
                    Integrand(lambda t, w=whole, top=top: (self.log_density(t, w) - top, None)), whole, -5.0
                )
                norms[whole] = np.log(mass) + top
            self.log_norms = norms
        found = []
        for whole in (True, False):

            def parts(theta, whole=whole):
                law, other = self.log_pair(theta, whole)
                with np.errstate(invalid="ignore"):
                    ratio = np.clip(np.nan_to_num(law - other, nan=-ENDLESS), -ENDLESS, ENDLESS)
                return law - log_delta, ratio - epsilon

            value, missed = self.integral(Integrand(parts, True), whole, log_delta)
            found.append((np.log(value) + log_delta if value > 0 else -np.inf, missed / value if value > 0 else 0.0))
        return found


class Plane:
    """δ(ε) of one row after objective perturbation in a plane, by lines of noise along x: b = σ (s u + z v), u = x/‖x‖, v ⊥ u.

    On a line θ is found by Newton's method from point to point. The law that is summed has the coordinate s ~ N(0, 1), the other
    one s' = s ± (‖x‖/σ) f'; between two points on the side where the loss exceeds ε the integrand has the mass
    Φ(s₂) − Φ(s₁) − e^ε (Φ(s₂') − Φ(s₁')); an interval that changes sides is halved. The lines are summed in equal steps.
    """

    def __init__(self, setting: Setting, log_delta: float) -> None:
        self.setting, self.log_delta = setting, log_delta
        self.reach = np.sqrt(2 * (DROPPED - log_delta))
        self.pull = np.linalg.norm(setting.X[setting.row]) / setting.sigma

    def solve(self, s, z, theta, whole):
        """θ whose noise is (s, z), from a start; what is left of the gradient is in units of σ."""
        setting, noise = self.setting, self.setting.sigma * np.column_stack([s, z])
        keep, X, lam = setting.keep(whole), setting.X, setting.lam
        pairs = np.stack([X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2], axis=1)

        def gradient(theta, noise):
            return setting.gradient(theta, whole) + noise

        left = gradient(theta, noise)
        open_ = np.arange(len(s))
        for _ in range(NEWTON):
            open_ = open_[np.abs(left[open_]).max(axis=1) > 1e-11 * setting.sigma]
            if not open_.size:
                break
            at, g, b = theta[open_], left[open_], noise[open_]
            first, mixed, second = (((setting.parts(at, (2,))[0] * keep) @ pairs) + [lam, 0.0, lam]).T
            determinant = first * second - mixed**2
            step = np.column_stack([second * g[:, 0] - mixed * g[:, 1], first * g[:, 1] - mixed * g[:, 0]])
            step /= determinant[:, None]
            share = np.ones(len(at))
            for _ in range(40):
                moved = gradient(at - share[:, None] * step, b)
                with np.errstate(over="ignore"):
                    worse = np.square(moved).sum(axis=1) > np.square(g).sum(axis=1) * (1 - 1e-4 * share)
                if not worse.any():
                    break
                share[worse] *= 0.5
            theta[open_] = at - share[:, None] * step
            left[open_] = moved
        return theta

    def seen(self, s, theta, whole):
        """s, the other law's coordinate, the loss, θ and the row's predictor (6, n_points)."""
        setting = self.setting
        slope, bend = setting.parts(theta, (1, 2))
        other = s + (1 if whole else -1) * self.pull * slope[:, setting.row]
        dets = []
        for part in (whole, not whole):
            first, mixed, second = ((bend * setting.keep(part)) @ self._pairs + [setting.lam, 0.0, setting.lam]).T
            dets.append(np.log(first * second - mixed**2))
        loss = 0.5 * (other - s) * (other + s) + dets[0] - dets[1]
        return np.array([s, other, loss, *theta.T, theta @ setting.X[setting.row]])

    @cached_property
    def _pairs(self):
        X = self.setting.X
        return np.stack([X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2], axis=1)

    def line_sums(self, z, step, whole, epsilons):
        """δ_z(ε) of every line (n_lines, n_epsilons), in units of δ."""
        count = int(np.ceil(self.reach / step))
        places = np.linspace(-self.reach, self.reach, 2 * count + 1)
        theta = np.empty((places.size, z.size, 2))
        for way in (1, -1):
            now = np.tile(self.setting.minimiser(whole), (z.size, 1))
            for k in range(count, 2 * count + 1) if way > 0 else range(count, -1, -1):
                now = self.solve(np.full(z.size, places[k]), z, now, whole)
                theta[k] = now
                now = now.copy()
        line = np.tile(np.arange(z.size), places.size)
        points = self.seen(np.repeat(places, z.size), theta.reshape(-1, 2), whole)
        ends = np.stack(
            [points.reshape(6, places.size, z.size)[:, cut] for cut in (slice(None, -1), slice(1, None))], axis=1
        )
        ends, line = ends.reshape(6, 2, -1), line[: -z.size]

        def halved(ends, line, cut):
            middle = self.between(ends[..., cut], z[line[cut]], whole)
            new = np.concatenate([[ends[:, 0, cut], middle], [middle, ends[:, 1, cut]]], axis=2).swapaxes(0, 1)
            return np.concatenate([ends[..., ~cut], new], axis=2), np.concatenate([line[~cut], line[cut], line[cut]])

        for _ in range(40):
            wide = self.bending(ends) > WIDEST
            if not wide.any():
                break
            ends, line = halved(ends, line, wide)
        sums = np.zeros((z.size, len(epsilons)))
        for k, epsilon in enumerate(epsilons):
            rest, of = ends, line
            for last in [False] * 16 + [True]:
                above, lowest, highest = rest[2] > epsilon, rest[2].min(axis=0), rest[2].max(axis=0)
                done = above.all(axis=0) | (above.any(axis=0) & last)
                sums[:, k] += np.bincount(of[done], self.mass(rest[..., done], epsilon), minlength=z.size)
                near = (2 * highest - lowest + 3 > epsilon) & ~done
                near[near] &= (2 * highest - lowest)[near] + self.bending(rest[..., near]) > epsilon
                if not near.any():
                    break
                rest, of = halved(rest[..., near], of[near], np.full(near.sum(), True))
        return sums

    def between(self, ends, z, whole):
        """The points in the middle of intervals."""
        middle = ends[:3].mean(axis=1)[0]
        return self.seen(middle, self.solve(middle, z, ends[3:5].mean(axis=1).T.copy(), whole), whole)

    def bending(self, ends, narrowest=1e-12):
        """By how much any predictor changes where its loss bends, in units of `active`; 0 where neither law has mass."""
        setting, found, (low, high, scale) = self.setting, np.zeros(ends.shape[2]), self.setting.active
        for part in np.array_split(np.arange(ends.shape[2]), max(1, ends.shape[2] * len(setting.y) // 2_000_000)):
            u = np.tensordot(ends[3:5][..., part], setting.X, (0, 1))
            found[part] = (np.abs(np.diff(np.clip(u, low, high), axis=0)) / scale).max(axis=(0, 2))
        massive = (np.abs(ends[:2]).min(axis=1) < self.reach).any(axis=0) | (ends[1, 0] * ends[1, 1] < 0)
        return np.where(massive & (np.abs(ends[0, 1] - ends[0, 0]) >= narrowest * self.reach), found, 0.0)

    def mass(self, ends, epsilon):
        """Of intervals, in units of δ."""
        parts = []
        for low, high in ends[:2]:
            turned = low > 0
            low, high = np.where(turned, -high, low), np.where(turned, -low, high)
            with np.errstate(divide="ignore"):
                top = log_ndtr(high)
                parts.append(top + np.log(-np.expm1(np.minimum(log_ndtr(low) - top, 0.0))))
        return np.maximum(
            np.exp(parts[0] - self.log_delta) - np.exp(np.minimum(parts[1] + epsilon - self.log_delta, 600.0)), 0.0
        )

    def across(self, whole):
        """Ends of panels of z, between which no predictor changes by much where its loss bends, on a few lines across."""
        z = np.linspace(-self.reach, self.reach, int(2 * self.reach / ACROSS) + 1)
        for _ in range(12):
            wide = np.zeros(z.size - 1, dtype=bool)
            for share in (-0.6, -0.3, -0.1, 0.0, 0.1, 0.3, 0.6):
                s = np.full(z.size, share * self.reach)
                theta = self.solve(s, z, np.tile(self.setting.minimiser(whole), (z.size, 1)), whole)
                points = self.seen(s, theta, whole)
                points[1] = np.arange(z.size)  # nothing is at its end
                wide |= self.bending(np.stack([points[:, :-1], points[:, 1:]], axis=1), 0.0) > 2 * WIDEST
            if not wide.any():
                break
            z = np.sort(np.concatenate([z, 0.5 * (z[:-1] + z[1:])[wide]]))
        return z

    def log_deltas(self, epsilons):
        """log δ(ε), the larger of both directions, and its accuracy."""
        whole, off = self.both_ways(epsilons)
        best = whole.argmax(axis=0)
        whole, off = (np.take_along_axis(part, best[None], axis=0)[0] for part in (whole, off))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(whole) + self.log_delta, np.nan_to_num(off / whole)

    def both_ways(self, epsilons):
        """δ(ε) of ("remove", "add") in units of δ, and their accuracy: Simpson's rule over z, panels halved until they agree."""
        whole, off = np.zeros((2, len(epsilons))), np.zeros((2, len(epsilons)))
        for k in (0, 1):
            z = self.across(k == 0)

            def lines(z, k=k):
                parts = np.array_split(z, 1 + z.size // TOGETHER)
                sums = np.concatenate([self.line_sums(part, ALONG, k == 0, epsilons) for part in parts])
                return sums * np.exp(-0.5 * z * z)[:, None] / np.sqrt(2 * np.pi)

            low, high, ends = z[:-1], z[1:], lines(z)
            values = np.stack([ends[:-1], lines(0.5 * (low + high)), ends[1:]])
            for _ in range(DOUBLED):
                quarter = 0.25 * (high - low)
                inner = lines(np.concatenate([low + quarter, high - quarter])).reshape(2, low.size, -1)
                once = 2 / 3 * quarter[:, None] * (values[0] + 4 * values[1] + values[2])
                twice = quarter[:, None] / 3 * (values[0] + 4 * inner[0] + 2 * values[1] + 4 * inner[1] + values[2])
                total = whole[k] + twice.sum(axis=0)
                open_ = (abs(twice - once) > PLANE * total / 20).any(axis=1)
                whole[k] += twice[~open_].sum(axis=0)
                off[k] += abs(twice - once)[~open_].sum(axis=0)
                if not open_.any():
                    break
                middle = 0.5 * (low + high)[open_]
                low, high = np.concatenate([low[open_], middle]), np.concatenate([middle, high[open_]])
                left, at, right = (part[open_] for part in values)
                first, second = inner[:, open_]
                values = np.concatenate([[left, first, at], [at, second, right]], axis=1)
            else:
                whole[k] += twice[open_].sum(axis=0)
                off[k] += abs(twice - once)[open_].sum(axis=0)
        return whole, off
