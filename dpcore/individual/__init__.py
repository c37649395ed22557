"""Per-instance differential privacy: how visible each row of one data set is in one release."""

from dpcore.individual import gaussian_output, posterior_sampling
from dpcore.individual.base import ANALYSES, Exposures
from dpcore.individual.for_all import ForAll
from dpcore.individual.leverage import Leverage, leverage
from dpcore.individual.result import IndividualPrivacy, WhatIf, individual_privacy

__all__ = [
    "ANALYSES",
    "Exposures",
    "ForAll",
    "IndividualPrivacy",
    "Leverage",
    "WhatIf",
    "gaussian_output",
    "individual_privacy",
    "leverage",
    "posterior_sampling",
]
