"""Private learners as scikit-learn estimators: fit, predict, score, pipelines; the release and its guarantee in `release_`.

Bounds are public parameters of the estimator and never read off the data: longer rows are scaled back to `row_norm`, targets
outside `target_range` are clipped. The set of class labels counts as public.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import validation
from dpcore.data import Dataset, Domain
from dpcore.data.scaling import map_range, scale_rows
from dpcore.errors import UnsupportedError
from dpcore.glm.losses import Huber, Loss, SmoothedHinge, find
from dpcore.learners import LEARNERS, Learner, Release
from dpcore.learners.rules import NO_INTERCEPT
from dpcore.profiles import PrivacyProfile

INTERCEPT_SHARE = 0.2  # length of the constant column over R: it lengthens rows by 2 %, so that it costs little noise
METHODS = ("amp", "output_perturbation", "dp_sgd")


class _PrivateGLM(BaseEstimator):
    """What all estimators share: bounds, the learner, and the release."""

    _loss: ClassVar[str]

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        method: str = "amp",
        row_norm: float = 1.0,
        clip: float | None = None,
        fit_intercept: bool = True,
        regularise_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self._keep(locals())

    def _keep(self, given: dict[str, Any]) -> None:
        """Set the parameters of the constructor as they were given: scikit-learn reads their names off its signature."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    @property
    def profile_(self) -> PrivacyProfile:
        """Guarantee of the release."""
        check_is_fitted(self)
        return self.release_.profile

    def _loss_used(self) -> Loss:
        return find(self._loss)

    def _learner(self) -> Learner:
        kind = LEARNERS[validation.choice("method", self.method, METHODS)]
        return kind(self._loss_used(), epsilon=self.epsilon, delta=self.delta, clip=self.clip)

    def _fit(self, X: np.ndarray, y: np.ndarray, target_bound: float) -> None:
        """Learn from checked X and scaled y."""
        if self.regularise_intercept is not True:
            raise UnsupportedError(NO_INTERCEPT)
        row_norm = validation.positive("row_norm", self.row_norm)
        rows = self._bounded(X, row_norm)
        reach = float(np.hypot(row_norm, INTERCEPT_SHARE * row_norm)) if self.fit_intercept else row_norm
        domain = Domain(row_norm=reach * (1 + 1e-12), target_bound=target_bound)
        data = Dataset.from_arrays(rows, y, domain=domain)
        self.release_: Release = self._learner().fit(data, self._generator())
        theta = self.release_.theta
        self.coef_ = theta[: X.shape[1]].copy()
        self.intercept_ = float(theta[-1] * INTERCEPT_SHARE * row_norm) if self.fit_intercept else 0.0

    def _bounded(self, X: np.ndarray, row_norm: float) -> np.ndarray:
        """Rows scaled back to the ball, with a constant column where an intercept is fitted."""
        rows = np.array(X, dtype=np.float64, order="C")
        scale_rows(rows, Domain(row_norm=row_norm))
        constant = np.full(len(rows), INTERCEPT_SHARE * row_norm)
        return np.column_stack([rows, constant]) if self.fit_intercept else rows

    def _generator(self) -> np.random.Generator:
        state = self.random_state
        if isinstance(state, np.random.Generator):
            return state
        if isinstance(state, np.random.RandomState):
            return np.random.default_rng(state.randint(2**31))
        return np.random.default_rng(state)

    def _predictor(self, X: Any) -> np.ndarray:
        """xᵀθ of rows brought into the same ball as the training rows, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._bounded(X, float(self.row_norm)) @ self.release_.theta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


class _PrivateClassifier(ClassifierMixin, _PrivateGLM):
    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows X (n_samples, n_features) and two classes y (n_samples,)."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) != 2:
            raise UnsupportedError(
                f"Only binary classification is supported. The target has {len(classes)} "
                f"class{'' if len(classes) == 1 else 'es'}; exactly two are needed."
            )
        self.classes_ = classes
        self._fit(X, np.where(y == classes[1], 1.0, -1.0), 1.0)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """xᵀθ, positive for the second class; shape (n_samples,)."""
        return self._predictor(X)

    def predict(self, X: Any) -> np.ndarray:
        """Class of each row, shape (n_samples,)."""
        positive = self._predictor(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class PrivateLogisticRegression(_PrivateClassifier):
    r"""Logistic regression under (ε, δ)-differential privacy, for two classes.

    Parameters
    ----------
    epsilon, delta : target, nats and probability
    method : "amp", "output_perturbation" or "dp_sgd"
    row_norm : R > 0, public bound on the norm of a row; longer rows are scaled back, in fit and in predict
    clip : C > 0, bound on the gradient norm of a record; chosen from public facts if not given
    fit_intercept : adds a constant column of 0.2 R, regularised and counted in the norm
    regularise_intercept : must be True; False is refused with the reason
    random_state : None, seed or generator; a known seed gives no privacy

    Attributes
    ----------
    coef_ : array (n_features,); intercept_ : float; classes_ : array (2,); release_ : `dp.Release`; profile_

    Examples
    --------
    >>> import numpy as np
    >>> import dpcore as dp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 2)) / 3
    >>> model = dp.sklearn.PrivateLogisticRegression(epsilon=1.0, random_state=0).fit(X, X[:, 0] > 0)
    >>> model.score(X, X[:, 0] > 0) > 0.9, bool(model.profile_.delta(1.0) <= 1e-5)
    (True, True)

    References: redberg-koskela-wang-2023.
    """

    _loss = "logistic"

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n_samples, 2); of the model, not calibrated for the noise."""
        positive = special.expit(self._predictor(X))
        return np.column_stack([1 - positive, positive])


class PrivateLinearSVC(_PrivateClassifier):
    """Support vector classifier with the smoothed hinge loss; parameters as for `PrivateLogisticRegression`.

    References: redberg-koskela-wang-2023.
    """

    _loss = "smoothed_hinge"

    def _loss_used(self) -> Loss:
        return SmoothedHinge()


class _PrivateRegressor(RegressorMixin, _PrivateGLM):
    """Targets are mapped from a public range to [−1, 1]."""

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        method: str = "amp",
        row_norm: float = 1.0,
        target_range: tuple[float, float] = (-1.0, 1.0),
        clip: float | None = None,
        fit_intercept: bool = True,
        regularise_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self._keep(locals())

    def _range(self) -> tuple[float, float]:
        return Domain(ranges={"target_range": self.target_range}).range_of("target_range")

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows X (n_samples, n_features) and targets y (n_samples,); targets outside the range are clipped."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        low, high = self._range()
        scaled, _ = map_range(np.asarray(y, dtype=np.float64), low, high)
        self._fit(X, scaled, 1.0)
        half = (high - low) / 2
        self.coef_, self.intercept_ = half * self.coef_, low + half * (1 + self.intercept_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predicted target of each row, shape (n_samples,)."""
        u = self._predictor(X)
        low, high = self._range()
        return low + (high - low) / 2 * (1 + u)


class PrivateRidge(_PrivateRegressor):
    """Linear regression with squared loss, clipped gradients and a penalty fixed by public facts.

    Parameters as for `PrivateLogisticRegression`, and target_range : (low, high), public, by default (−1, 1). The method
    "posterior_sampling" releases one sample of the posterior.

    Examples
    --------
    >>> import numpy as np
    >>> import dpcore as dp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((3000, 2)) / 3
    >>> model = dp.sklearn.PrivateRidge(epsilon=2.0, random_state=0).fit(X, 0.5 * X[:, 0])
    >>> model.score(X, 0.5 * X[:, 0]) > 0.8
    True

    References: redberg-koskela-wang-2023, wang-2019.
    """

    _loss = "squared"

    def _learner(self) -> Learner:
        if self.method == "posterior_sampling":
            return LEARNERS[self.method](epsilon=self.epsilon, delta=self.delta)
        return super()._learner()


PrivateLinearRegression = PrivateRidge


class PrivateHuberRegressor(_PrivateRegressor):
    """Linear regression with Huber loss; parameters as for `PrivateRidge`, and threshold > 0 in units of half the range.

    References: redberg-koskela-wang-2023.
    """

    _loss = "huber"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        method: str = "amp",
        row_norm: float = 1.0,
        target_range: tuple[float, float] = (-1.0, 1.0),
        threshold: float = 0.5,
        clip: float | None = None,
        fit_intercept: bool = True,
        regularise_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self._keep(locals())

    def _loss_used(self) -> Loss:
        return Huber(self.threshold)


class PrivatePoissonRegressor(RegressorMixin, _PrivateGLM):
    """Poisson regression of counts with a logarithmic link; counts above `largest_count` are clipped to it.

    Parameters as for `PrivateLogisticRegression`, and largest_count > 0, public.

    References: redberg-koskela-wang-2023, li-liu-napp.
    """

    _loss = "poisson"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        method: str = "amp",
        row_norm: float = 1.0,
        largest_count: float = 10.0,
        clip: float | None = None,
        fit_intercept: bool = True,
        regularise_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows X (n_samples, n_features) and counts y ≥ 0 (n_samples,)."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        bound = validation.positive("largest_count", self.largest_count)
        self._fit(X, np.minimum(np.asarray(y, dtype=np.float64), bound), bound)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Expected count of each row, at most `largest_count`; shape (n_samples,)."""
        return np.exp(np.minimum(self._predictor(X), np.log(self.largest_count)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True  # 200 counts under a budget leave little of them
        return tags


ESTIMATORS = (
    PrivateLogisticRegression,
    PrivateLinearSVC,
    PrivateRidge,
    PrivateHuberRegressor,
    PrivatePoissonRegressor,
)
