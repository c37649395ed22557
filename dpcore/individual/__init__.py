"""Per-instance differential privacy: how visible each row of one data set is in one release."""

from dpcore.individual.analyses.ex_post import ExPost, ex_post
from dpcore.individual.exact.found import ExactRows
from dpcore.individual.exposure import ANALYSES, Exposures, analysis_of
from dpcore.individual.fit.leverage import Leverage, leverage
from dpcore.individual.result import IndividualPrivacy, WhatIf, individual_privacy
from dpcore.individual.worst_record.for_all import ForAll

__all__ = [
    "ANALYSES",
    "ExPost",
    "ExactRows",
    "Exposures",
    "ForAll",
    "IndividualPrivacy",
    "Leverage",
    "WhatIf",
    "analysis_of",
    "ex_post",
    "individual_privacy",
    "leverage",
]
