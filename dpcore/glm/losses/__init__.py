"""Losses of generalised linear models, one file each, and the registry that names them."""

from __future__ import annotations

from typing import Any

from dpcore import validation
from dpcore.glm.losses.base import ClippedMean, Loss, LossConstants
from dpcore.glm.losses.clipped import Clipped
from dpcore.glm.losses.huber import Huber
from dpcore.glm.losses.logistic import Logistic
from dpcore.glm.losses.poisson import Poisson
from dpcore.glm.losses.smoothed_hinge import SmoothedHinge
from dpcore.glm.losses.squared import Squared

LOSSES: dict[str, Loss] = {
    "logistic": Logistic(),
    "squared": Squared(),
    "poisson": Poisson(),
    "smoothed_hinge": SmoothedHinge(),
    "huber": Huber(),
}


def find(loss: Any) -> Loss:
    """A loss as it is, or the one of the registry with this name.

    Raises
    ------
    ParameterError
    """
    return loss if isinstance(loss, Loss) else LOSSES[validation.choice("loss", loss, LOSSES)]


__all__ = [
    "LOSSES",
    "Clipped",
    "ClippedMean",
    "Huber",
    "Logistic",
    "Loss",
    "LossConstants",
    "Poisson",
    "SmoothedHinge",
    "Squared",
    "find",
]
