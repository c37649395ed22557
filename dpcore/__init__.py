"""dpcore: exact privacy profiles, per-instance privacy and the mechanisms behind them."""

from typing import TYPE_CHECKING

from dpcore.lazy import exports

if TYPE_CHECKING:
    from dpcore.accountants import Tuned, compose
    from dpcore.calibration import calibrate
    from dpcore.calibration.objective import best_calibration, paper_rule, smallest_lambda
    from dpcore.data import (
        Dataset,
        Domain,
        Table,
        load_csv,
        load_sample,
        make_dataset,
        read_ranges,
        read_sample,
        read_table,
    )
    from dpcore.errors import CalibrationError, ConvergenceError, DataError, DPError, ParameterError, UnsupportedError
    from dpcore.glm import LOSSES, Fit, Problem, solve, solve_batch
    from dpcore.individual import IndividualPrivacy, Leverage, individual_privacy, leverage
    from dpcore.learners import (
        AMP,
        DPSGD,
        LEARNERS,
        FiniteClassLearner,
        PublicFacts,
        RegularizedExponentialLearner,
        Release,
    )
    from dpcore.mechanisms import (
        MECHANISMS,
        ApproximateMinimaPerturbation,
        ExponentialMechanism,
        Gaussian,
        Laplace,
        ObjectivePerturbation,
        OutputPerturbation,
        PosteriorSampling,
        RandomizedResponse,
        RegularizedExponential,
        Subsampled,
    )
    from dpcore.profiles import Bound, PrivacyProfile
    from dpcore.profiles.bracket import Bracket
    from dpcore.references import REFERENCES, FormulaCard
else:
    __getattr__, __dir__ = exports(__name__)

__version__ = "0.1.0"

__all__ = [
    "AMP",
    "DPSGD",
    "LEARNERS",
    "LOSSES",
    "MECHANISMS",
    "REFERENCES",
    "ApproximateMinimaPerturbation",
    "Bound",
    "Bracket",
    "CalibrationError",
    "ConvergenceError",
    "DPError",
    "DataError",
    "Dataset",
    "Domain",
    "ExponentialMechanism",
    "FiniteClassLearner",
    "Fit",
    "FormulaCard",
    "Gaussian",
    "IndividualPrivacy",
    "Laplace",
    "Leverage",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "ParameterError",
    "PosteriorSampling",
    "PrivacyProfile",
    "Problem",
    "PublicFacts",
    "RandomizedResponse",
    "RegularizedExponential",
    "RegularizedExponentialLearner",
    "Release",
    "Subsampled",
    "Table",
    "Tuned",
    "UnsupportedError",
    "best_calibration",
    "calibrate",
    "compose",
    "individual_privacy",
    "leverage",
    "load_csv",
    "load_sample",
    "make_dataset",
    "paper_rule",
    "read_ranges",
    "read_sample",
    "read_table",
    "smallest_lambda",
    "solve",
    "solve_batch",
]
