"""Private learners as scikit-learn estimators: fit, predict, score, pipelines. `release_` holds the release.

Bounds are public parameters of the estimator and are never read off the data: longer rows are scaled back to
`row_norm`, targets outside `target_range` are clipped. The two class labels count as public too, even if they are read
off `y` because `classes` does not state them.

A fitted estimator holds what was released, and its parameters. If `random_state` is a seed, anyone who has the
estimator can draw the noise again. `dpcore.learners.Learner.fit` says what its guarantee does not cover in floating
point.
"""

from typing import Any

from dpcore.glm.losses import BINARY, COUNT, NUMERIC, TargetKind, find
from dpcore.sklearn.base import INTERCEPT_SHARE, TRAINING_METHODS, PrivateGLM
from dpcore.sklearn.classifiers import PrivateClassifier, PrivateLinearSVC, PrivateLogisticRegression
from dpcore.sklearn.counts import PrivateCountRegressor, PrivatePoissonRegressor
from dpcore.sklearn.regressors import PrivateHuberRegressor, PrivateRegressor, PrivateRidge

_GENERAL: dict[TargetKind, type[PrivateGLM]] = {
    BINARY: PrivateClassifier,
    NUMERIC: PrivateRegressor,
    COUNT: PrivateCountRegressor,
}
ESTIMATORS = (
    PrivateLogisticRegression,
    PrivateLinearSVC,
    PrivateRidge,
    PrivateHuberRegressor,
    PrivatePoissonRegressor,
    *_GENERAL.values(),
)


def estimator_for(loss: Any, **options: Any) -> PrivateGLM:
    """The estimator for a loss, by the kind of its target.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    options : parameters of the estimator

    Examples
    --------
    >>> import dpcore as dp
    >>> dp.sklearn.estimator_for("poisson", epsilon=2.0)
    PrivateCountRegressor(epsilon=2.0)
    """
    return _GENERAL[find(loss).target](loss, **options)


__all__ = [
    "ESTIMATORS", "INTERCEPT_SHARE", "TRAINING_METHODS", "PrivateClassifier", "PrivateCountRegressor",
    "PrivateHuberRegressor", "PrivateLinearSVC", "PrivateLogisticRegression",
    "PrivatePoissonRegressor", "PrivateRegressor", "PrivateRidge", "estimator_for",
]  # fmt: skip
