"""Per-instance differential privacy: how visible each row of one data set is in one release."""

from dpcore.individual import gaussian_output, objective_perturbation, posterior_sampling
from dpcore.individual.base import ANALYSES, Exposures
from dpcore.individual.ex_post import ExPost, ex_post, ex_post_added
from dpcore.individual.for_all import ForAll
from dpcore.individual.glm_refit import GlmExposure, glm_exposure
from dpcore.individual.leverage import Leverage, leverage
from dpcore.individual.result import IndividualPrivacy, WhatIf, individual_privacy

__all__ = [
    "ANALYSES",
    "ExPost",
    "Exposures",
    "ForAll",
    "GlmExposure",
    "IndividualPrivacy",
    "Leverage",
    "WhatIf",
    "ex_post",
    "ex_post_added",
    "gaussian_output",
    "glm_exposure",
    "individual_privacy",
    "leverage",
    "objective_perturbation",
    "posterior_sampling",
]
