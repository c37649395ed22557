"""Rows that share the leverage of a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dpcore import validation
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Rows that pull the fit in the direction of one row: their positions, and |cosine| in the metric of H⁻¹."""

    rows: np.ndarray
    likeness: np.ndarray


def neighbours(result: IndividualPrivacy, index: int, count: int = 10) -> Neighbours:
    r"""The rows that share the leverage of a row, |x^⊤H^{-1}x_i|/\sqrt{x^⊤H^{-1}x · x_i^⊤H^{-1}x_i} largest first."""
    index = position(index, result.epsilon.size)
    count = min(validation.integer("count", count, minimum=1), result.epsilon.size - 1)
    X, factor = result.dataset.X, result.leverage.factor
    direction = linalg.cho_solve((factor, True), X[index])
    scale = np.sqrt(result.leverage.in_sample * result.leverage.in_sample[index])
    likeness = np.abs(X @ direction) / np.where(scale > 0, scale, np.inf)
    likeness[index] = -np.inf
    order = np.argsort(-likeness, kind="stable")[:count]
    return Neighbours(order, np.minimum(likeness[order], 1.0))
