"""Guesses of ε of very many records, from the privacy loss at the two places beyond which δ arises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.individual.exact.by_margin import FADED, ByMargin
from dpcore.individual.exact.newton import SETTLED
from dpcore.numerics import LARGEST

# Number of rounds of guessing, of Newton steps to the x of a given x̃, and of placing nodes (`evenly`). Doubled, guesses
# are no nearer: their error is a part in 500 if the loss is smooth, and a few per cent at a kink.
GUESSES = 3
# Logarithm of the largest share of the law that may lie beyond a place. Doubled, guesses for large δ are worse.
_AT_MOST = -1.0


@dataclass(frozen=True, eq=False)
class Guess:
    r"""ε guessed from the loss L at x = ±q. Beyond q, L grows at the rate L' and the log density falls at the rate q.

    .. math:: δ ≈ Φ(−q)\,\frac{L'}{q + L'}\left(1 + \frac{3}{2q²}\right)^{-1}, \quad ε ≈ \max_± L(±q)

    The last factor is between that of a linear and that of a quadratic loss. If the loss is nearly as large on the
    other side, that side adds its own part; L is then taken to be quadratic between both.

    Parameters
    ----------
    epsilon : the guesses of ε (n_records,)
    farther : x of the place of the larger loss (n_records, 1)
    both : x of both places (n_records, 2)
    two : whether the loss reaches ε on both sides (n_records,)
    """

    epsilon: np.ndarray
    farther: np.ndarray
    both: np.ndarray
    two: np.ndarray

    @classmethod
    def of(cls, laws: ByMargin, log_delta: float, direction: str) -> Guess:
        """The guess for one direction."""
        every, share = np.arange(laws.y.size), np.ones((laws.y.size, 1))
        for _ in range(GUESSES):
            q = np.abs(special.ndtri_exp(np.minimum(log_delta - np.log(share), _AT_MOST)))
            end = x = q * [-1.0, 1.0]
            slope, back, gain = laws.slopes(every[:, None], x)
            for _ in range(GUESSES if direction == "remove" else 0):
                x = x - (x + back - end) / (1 + gain)
                slope, back, gain = laws.slopes(every[:, None], x)
            loss, rise = back * (x + 0.5 * back) - np.log1p(gain), np.sign(x) * ((x + back) * (1 + gain) - x)
            if direction == "remove":
                loss, rise = -loss, -rise / (1 + gain)
            noise, above = np.square(slope * laws.pull[:, None]), np.maximum(loss, 0.0)
            lost = np.sqrt(above * above + q * q * noise)
            most = lost.argmax(axis=1)[:, None]
            steep = (above * rise + q * noise) / np.maximum(lost, 1 / LARGEST)
            farther, epsilon, steep = (np.take_along_axis(part, most, axis=1) for part in (x, lost, steep))
            missing = np.maximum(epsilon - loss, 0.0)
            bent = np.sqrt(np.maximum(rise * rise + rise.sum(axis=1, keepdims=True) / q * missing, 0.0))
            reach = q + 2 * missing / np.maximum(rise + bent, 1 / LARGEST)
            other = np.exp(0.5 * (q * q - np.square(reach.max(axis=1, keepdims=True))))
            share = np.maximum(steep / (q + steep) / (1 + 1.5 / (q * q)) * (1 + other), 1 / LARGEST)
        deep = np.sqrt(1 + 2 * FADED / (q * q))
        two = -laws.at(every, x * deep, direction)[1].max(axis=1) > epsilon[:, 0]
        return cls(np.maximum(epsilon[:, 0], SETTLED), farther, x * np.minimum(reach / q, deep), two)
