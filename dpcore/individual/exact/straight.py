"""Lines on which the margin of a record is linear in the noise along it, or bent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.glm import Clipped, Loss
from dpcore.individual.exact.by_margin import bent, unbent
from dpcore.individual.exact.hockey_stick import Traced
from dpcore.individual.numbers import BESIDE
from dpcore.numerics import LARGEST_ROOT

# Nodes T, to 39 standard deviations. With twenty times as many, ε is the same to 1e-6 but for one record in ten
# thousand.
_WIDE = np.sinh(np.linspace(-4.36, 4.36, 25))
# Every other one, from the fifth on: nodes around the centre of the law with the record, in units of its width.
_NEAR = _WIDE[4:-4:2]
# Newton steps to the centre of the law with the record. With a quarter of them, that of a Poisson record of large leverage
# is missed. Doubled, nothing changes.
_STEPS = 12


@dataclass(frozen=True, eq=False)
class StraightLines:
    r"""Lines on which the margin is linear in the noise if the objective of the other rows is quadratic, else bent.

    .. math:: m = o + \frac{\log(1 + κq)}κ, \quad q = c − o − gT, \qquad
              t(T) = T − k f'(m), \quad t'(T) = 1 − k f''(m)\frac{dm}{dT}, \quad k = ‖x‖/σ, \; g = σh_−/‖x‖

    At κ = 0, m = c − gT. For κq < −1/2, the logarithm is continued by its tangent.

    Parameters
    ----------
    loss : f of the records, not clipped
    centre, fall, pull : c, g, k (n_lines,)
    y, limit : target and largest |f'| of the record of each line (n_lines,)
    origin, skew : o and κ (n_lines,)
    """

    loss: Loss
    centre: np.ndarray
    fall: np.ndarray
    pull: np.ndarray
    y: np.ndarray
    limit: np.ndarray
    origin: np.ndarray
    skew: np.ndarray

    def own(self, line: np.ndarray) -> Loss:
        """The loss of the records of some lines."""
        return Clipped(self.loss, self.limit[line]) if np.isfinite(self.limit).any() else self.loss

    def margin(self, T: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m and −dm/dT > 0 at points T of the lines at positions `line`, which broadcasts against T."""
        fall, centre = self.fall[line], self.centre[line]
        if not self.skew.any():
            return centre - fall * T, fall
        origin = self.origin[line]
        moved, rate = bent(centre - origin - fall * T, self.skew[line])
        return origin + moved, fall * rate

    def inverse(self, m: np.ndarray) -> np.ndarray:
        """T (n_lines, k) at which the margins are m (n_lines, k)."""
        moved = m - self.origin[:, None]
        if self.skew.any():
            moved = unbent(moved, self.skew[:, None])
        return (self.centre[:, None] - self.origin[:, None] - moved) / self.fall[:, None]

    def at(self, T: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """t(T) and log t'(T) at points T of the lines at positions `line`, which broadcasts against T."""
        loss, y, pull = self.own(line), self.y[line], self.pull[line]
        with np.errstate(all="ignore"):
            m, fall = self.margin(T, line)
            slope = np.clip(loss.derivative(m, y), -LARGEST_ROOT, LARGEST_ROOT)
            bend = np.minimum(loss.second_derivative(m, y), LARGEST_ROOT)
            return T - pull * slope, np.log1p(bend * fall * pull)

    def traced(self) -> Traced:
        """The lines on a grid that follows both normal laws and f', with nodes on either side of every kink."""
        every = np.arange(self.centre.size)
        with np.errstate(all="ignore"):
            return Traced.of(self, np.sort(self._grid(every), axis=1))

    def _grid(self, every: np.ndarray) -> np.ndarray:
        own, y = self.own(every), self.y
        present, width = self.present()
        near = present[:, None] + width[:, None] * _NEAR
        T = np.concatenate([np.broadcast_to(_WIDE, (y.size, _WIDE.size)), near], axis=1)
        ends = np.stack([T.min(axis=1), T.max(axis=1)])
        furthest = (self.margin(end, every)[0] for end in ends[::-1])
        low, high = (np.clip(own.derivative(m, y), -LARGEST_ROOT, LARGEST_ROOT) for m in furthest)
        # Nodes where f' has grown by even shares of its whole range. Even in the logit of f', roots are missed.
        slopes = np.linspace(low, high, _NEAR.size + 1, axis=1)[:, 1:-1]
        m = self.own(every[:, None]).predictor_at(slopes, y[:, None])
        kinks = np.stack(own.kinks(y), axis=1) if own.kinks(y) else np.empty((y.size, 0))
        apart = BESIDE * np.maximum(1.0, np.abs(kinks))
        m = np.concatenate([m, kinks - apart, kinks + apart], axis=1)
        extra = self.inverse(m)
        inside = (extra > ends[0][:, None]) & (extra < ends[1][:, None])
        return np.concatenate([T, np.where(inside, extra, ends[1][:, None])], axis=1)

    def present(self) -> tuple[np.ndarray, np.ndarray]:
        """T at which t is about 0, and the width of the law with the record there."""
        every = np.arange(self.centre.size)
        T = np.zeros(every.size)
        log_slope = T
        for _ in range(_STEPS):
            t, log_slope = self.at(T, every)
            T = np.clip(T - t * np.exp(-log_slope), -LARGEST_ROOT, LARGEST_ROOT)
        return T, np.exp(-log_slope)
