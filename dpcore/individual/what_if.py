"""A record that is not in the data set, if it were added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.domain import Domain
from dpcore.errors import ParameterError


@dataclass(frozen=True)
class WhatIf:
    """A record that is not in the data set, if it were added: ε (nats), leverage μ, residual r, and a remark."""

    epsilon: Any
    leverage: Any
    residual: Any
    note: str = ""


def outside(domain: Domain | None, X: np.ndarray, y: np.ndarray) -> str:
    """A sentence if some records are outside the public domain; empty if all are inside, or if no domain is known."""
    if domain is None:
        return ""
    norm, bound = np.linalg.norm(X, axis=1).max(), np.abs(y).max()
    if norm <= domain.row_norm * (1 + 1e-12) and bound <= domain.target_bound * (1 + 1e-12):
        return ""
    return (
        f"Outside the public domain (‖x‖ = {norm:.3g}, |y| = {bound:.3g}; allowed {domain.row_norm:.3g} and "
        f"{domain.target_bound:.3g}): such a record would be clipped before it is used."
    )


def finite(name: str, value: Any) -> np.ndarray:
    """An array of finite numbers.

    Raises
    ------
    ParameterError
    """
    array = validation.real_array(name, value)
    if not np.isfinite(array).all():
        raise ParameterError(f"{name} must be finite")
    return array
