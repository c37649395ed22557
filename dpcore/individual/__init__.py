"""Per-instance differential privacy: how visible each row of one data set is in one release."""

from dpcore.individual.analyses.ex_post import ex_post
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.exposure import ANALYSES, analysis_of
from dpcore.individual.fit.leverage import Leverage, leverage
from dpcore.individual.result import IndividualPrivacy, individual_privacy

__all__ = [
    "ANALYSES", "ExactRows", "IndividualPrivacy", "Leverage", "analysis_of", "ex_post", "individual_privacy", "leverage",
]  # fmt: skip
