"""dpcore: exact privacy profiles, per-instance privacy and the mechanisms behind them.

This package offers what most programs need, in the groups of `__all__`. The subpackages hold the rest and need no
import of their own: `dp.audit`, `dp.errata`, `dp.glm`, `dp.individual`, `dp.learners`, `dp.mechanisms`, `dp.sklearn`,
`dp.statements`, `dp.exhibits` (what each page computes and draws). Everything is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from dpcore.lazy import exports

if TYPE_CHECKING:
    from dpcore.accountants.methods import compose
    from dpcore.accountants.tuning import Tuned
    from dpcore.calibration import best_calibration, calibrate, paper_rule, smallest_lambda
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
        target_kind,
        write_ranges,
    )
    from dpcore.decisions.answers import Answers
    from dpcore.decisions.difficulty import Difficulty
    from dpcore.decisions.proposal import propose
    from dpcore.decisions.recommend import Recommendation, recommend, rows_needed
    from dpcore.errors import CalibrationError, ConvergenceError, DataError, DPError, ParameterError, UnsupportedError
    from dpcore.glm import LOSSES, Fit, Problem, solve, solve_batch
    from dpcore.individual import ANALYSES, IndividualPrivacy, Leverage, individual_privacy, leverage
    from dpcore.individual.all_rows.exactly import best_known
    from dpcore.individual.passes.cluster import cluster_privacy
    from dpcore.individual.passes.file import stream_privacy
    from dpcore.individual.publication.plan import publish_exposure, worst_case_statement
    from dpcore.individual.rows.advice import advise, advise_all
    from dpcore.individual.rows.cells import exposing_cells
    from dpcore.individual.rows.composed import compose_rows
    from dpcore.individual.rows.find import find_rows
    from dpcore.individual.rows.groups import subgroups
    from dpcore.learners import (
        AMP,
        DPSGD,
        LEARNERS,
        FiniteClassLearner,
        NoiseAugmentedLearner,
        ObjectivePerturbationLearner,
        PublicFacts,
        RegularizedExponentialLearner,
        Release,
    )
    from dpcore.mechanisms import (
        MECHANISMS,
        ApproximateMinimaPerturbation,
        DiscreteGaussian,
        ExponentialMechanism,
        Gaussian,
        Laplace,
        ObjectivePerturbation,
        OutputPerturbation,
        PosteriorSampling,
        RandomizedResponse,
        RegularizedExponential,
        Staircase,
        Subsampled,
    )
    from dpcore.profiles import Bound, Bracket, PrivacyProfile
    from dpcore.profiles.in_people import in_people
    from dpcore.references import REFERENCES, FormulaCard
    from dpcore.runs.check import CheckedRun, check_run
else:
    __getattr__, __dir__ = exports(__name__)

__version__ = "0.1.0"

# fmt: off
__all__ = [  # noqa: RUF022
    # mechanisms and what they guarantee
    "MECHANISMS", "Gaussian", "DiscreteGaussian", "Laplace", "Staircase", "RandomizedResponse", "ExponentialMechanism", "Subsampled",
    "ObjectivePerturbation", "ApproximateMinimaPerturbation", "OutputPerturbation", "PosteriorSampling",
    "RegularizedExponential", "PrivacyProfile", "Bound", "Bracket", "in_people",
    # composition and calibration
    "compose", "Tuned", "check_run", "CheckedRun", "calibrate", "best_calibration", "paper_rule", "smallest_lambda",
    # data
    "Dataset", "Domain", "Table", "load_csv", "load_sample", "make_dataset", "read_table", "read_sample", "read_ranges",
    "write_ranges", "target_kind",
    # how exposed each row is, why, and what helps
    "ANALYSES", "individual_privacy", "IndividualPrivacy", "best_known", "leverage", "Leverage", "stream_privacy", "cluster_privacy",
    "compose_rows",
    "find_rows", "exposing_cells", "subgroups", "advise", "advise_all", "propose", "Answers", "publish_exposure", "worst_case_statement",
    # models and private learners
    "LOSSES", "Problem", "solve", "solve_batch", "Fit", "LEARNERS", "AMP", "ObjectivePerturbationLearner", "DPSGD",
    "FiniteClassLearner", "NoiseAugmentedLearner", "RegularizedExponentialLearner", "PublicFacts", "Release",
    # which of them to use
    "recommend", "rows_needed", "Recommendation", "Difficulty",
    # errors and sources
    "DPError", "ParameterError", "DataError", "CalibrationError", "ConvergenceError", "UnsupportedError",
    "REFERENCES", "FormulaCard",
]
# fmt: on
