"""About ε of very many records from their loss at two places, those beyond which as much of its law lies as makes δ of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from dpcore.individual.exact.by_margin import ByMargin

_GUESSES = (
    3  # doubled, ε is no nearer: it is off by a part in 500 where the loss is smooth, by a few per cent at a kink
)
_STEPS = 2  # of Newton to the x of a given x̃; doubled, ε is no nearer
_AT_MOST = (
    -1.0
)  # log of the largest share of the law that is looked for beyond a place; doubled, large δ are missed by more
_LEAST = 1e-300  # what is divided by is at least this; squared, it is 0
_LEAST_EPSILON = 1e-9  # from which a search can begin; doubled, nothing one sees
_SEEN = 23.0  # nats below the density where δ is made in which a second threshold counts; doubled, one is looked for in vain


@dataclass(frozen=True, eq=False)
class Guess:
    r"""ε from the loss L at x = ±q, where a step beyond q makes δ: L grows by L' a step there, the density falls by q.

    .. math:: δ ≈ Φ(−q)\,\frac{L'}{q + L'}\left(1 + \frac{3}{2q²}\right)^{-1}, \quad ε ≈ \max_± L(±q)

    The last factor is between those of a loss that is straight and of one that is a square. Where the other side is nearly
    as far, it adds its own part: L is taken to be a square between both.

    Parameters
    ----------
    epsilon : (n_records,)
    farther : x of the place where more is lost (n_records, 1)
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
        for _ in range(_GUESSES):
            q = np.abs(special.ndtri_exp(np.minimum(log_delta - np.log(share), _AT_MOST)))
            end = x = q * [-1.0, 1.0]
            slope, back, gain = laws.slopes(every[:, None], x)
            for _ in range(_STEPS if direction == "remove" else 0):
                x = x - (x + back - end) / (1 + gain)
                slope, back, gain = laws.slopes(every[:, None], x)
            loss, rise = back * (x + 0.5 * back) - np.log1p(gain), np.sign(x) * ((x + back) * (1 + gain) - x)
            if direction == "remove":
                loss, rise = -loss, -rise / (1 + gain)
            noise, above = np.square(slope * laws.pull[:, None]), np.maximum(loss, 0.0)
            lost = np.sqrt(above * above + q * q * noise)
            most = lost.argmax(axis=1)[:, None]
            steep = (above * rise + q * noise) / np.maximum(lost, _LEAST)
            farther, epsilon, steep = (np.take_along_axis(part, most, axis=1) for part in (x, lost, steep))
            missing = np.maximum(epsilon - loss, 0.0)
            bent = np.sqrt(np.maximum(rise * rise + rise.sum(axis=1, keepdims=True) / q * missing, 0.0))
            reach = q + 2 * missing / np.maximum(rise + bent, _LEAST)
            other = np.exp(0.5 * (q * q - np.square(reach.max(axis=1, keepdims=True))))
            share = np.maximum(steep / (q + steep) / (1 + 1.5 / (q * q)) * (1 + other), _LEAST)
        deep = np.sqrt(1 + 2 * _SEEN / (q * q))
        two = -laws.at(every, x * deep, direction)[1].max(axis=1) > epsilon[:, 0]
        return cls(np.maximum(epsilon[:, 0], _LEAST_EPSILON), farther, x * np.minimum(reach / q, deep), two)
