"""Losses of generalised linear models, one file each, and the registry that names them."""

from importlib import import_module
from typing import Any

from dpcore import validation
from dpcore.glm.losses.base import ClippedMean, Loss, LossConstants
from dpcore.glm.losses.clipped import Clipped
from dpcore.glm.losses.huber import Huber
from dpcore.glm.losses.logistic import Logistic
from dpcore.glm.losses.poisson import Poisson
from dpcore.glm.losses.scores import PredictionScore
from dpcore.glm.losses.smoothed_hinge import SmoothedHinge
from dpcore.glm.losses.squared import Squared
from dpcore.glm.losses.targets import BINARY, COUNT, NUMERIC, TargetKind

_FILES = (  # modules of this package, each with its loss at its defaults as LOSS; the order of every list of losses
    "logistic",
    "smoothed_hinge",
    "squared",
    "huber",
    "pseudo_huber",
    "poisson",
)
LOSSES: dict[str, Loss] = {name: import_module(f"{__name__}.{name}").LOSS for name in _FILES}


def find(loss: Any) -> Loss:
    """A loss as it is, or the one of the registry with this name.

    Raises
    ------
    ParameterError
    """
    return loss if isinstance(loss, Loss) else LOSSES[validation.choice("loss", loss, LOSSES)]


__all__ = [
    "BINARY", "COUNT", "LOSSES", "NUMERIC", "Clipped", "ClippedMean", "Huber", "Logistic", "Loss", "LossConstants",
    "Poisson", "PredictionScore", "SmoothedHinge", "Squared", "TargetKind", "find",
]  # fmt: skip
