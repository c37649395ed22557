"""The discrete Gaussian drawn by exact coin flips: whole-number arithmetic alone decides, as a release needs it."""

from fractions import Fraction

import numpy as np

from dpcore import validation


def exact_discrete_noise(sigma: float, count: int, rng: np.random.Generator) -> np.ndarray:
    r"""Independent whole numbers with mass ∝ e^{−x²/2σ²}, shape (count,), int64.

    A proposal Y from the discrete Laplace law of scale t = ⌊σ⌋ + 1 is kept with probability
    e^{−(|Y| − σ²/t)²/2σ²}; both are decided by uniform whole numbers, with σ² taken as the fraction its float is.

    Parameters
    ----------
    sigma : σ > 0
    count : how many
    rng : random generator; its bits are the only randomness

    References: canonne-kamath-steinke-2020.
    """
    square = Fraction(validation.moderate("sigma", sigma)) ** 2
    top, bottom = square.numerator, square.denominator
    scale = int(sigma) + 1
    found: list[int] = []
    while len(found) < count:
        proposal = _laplace(scale, rng)
        missed = abs(proposal) * scale * bottom - top  # (|Y| − σ²/t)²/2σ² = missed²/(2·top·bottom·t²)
        if _falls(missed * missed, 2 * top * bottom * scale * scale, rng):
            found.append(proposal)
    return np.array(found, dtype=np.int64)


def _below(number: int, rng: np.random.Generator) -> int:
    """A uniform whole number from 0 to number − 1."""
    bits = (number - 1).bit_length()
    length = (bits + 7) // 8
    while True:
        drawn = int.from_bytes(rng.bytes(length), "little") >> (8 * length - bits)
        if drawn < number:
            return drawn


def _falls(part: int, whole: int, rng: np.random.Generator) -> bool:
    """True with probability e^{−part/whole}, part ≥ 0."""
    turns, rest = divmod(part, whole)
    return all(_falls_once(1, 1, rng) for _ in range(turns)) and _falls_once(rest, whole, rng)


def _falls_once(part: int, whole: int, rng: np.random.Generator) -> bool:
    """The same for part ≤ whole.

    Trial k = 1, 2, … succeeds with chance part/(whole·k). The first k that fails is odd with probability
    e^{−part/whole}.
    """
    k = 1
    while _below(whole * k, rng) < part:
        k += 1
    return k % 2 == 1


def _laplace(scale: int, rng: np.random.Generator) -> int:
    """A whole number with mass ∝ e^{−|x|/scale}."""
    while True:
        rest = _below(scale, rng)
        if not _falls_once(rest, scale, rng):
            continue
        turns = 0
        while _falls_once(1, 1, rng):
            turns += 1
        size, negative = rest + scale * turns, bool(_below(2, rng))
        if size or not negative:
            return -size if negative else size
