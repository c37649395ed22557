"""Private regression of numbers in a public range."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from dpcore.data.domain import Ranges
from dpcore.data.scaling import map_range
from dpcore.glm.losses import NUMERIC, Huber, Loss
from dpcore.learners import LEARNERS, Learner
from dpcore.sklearn.base import AnyLoss, PrivateGLM


@dataclass(eq=False, repr=False)
class RangeRegressor(RegressorMixin, PrivateGLM):
    """The base of regressors of numbers: targets are mapped from a public range to [−1, 1].

    Parameters
    ----------
    target_range : (low, high), public; targets outside are clipped to it
    epsilon, delta, method, row_norm, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`
    """

    _target = NUMERIC

    target_range: tuple[float, float] = field(default=(-1.0, 1.0), kw_only=True)

    def _range(self) -> tuple[float, float]:
        return Ranges({"target_range": self.target_range})["target_range"]

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


class PrivateRidge(RangeRegressor):
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


@dataclass(eq=False, repr=False)
class PrivateHuberRegressor(RangeRegressor):
    """Linear regression with Huber loss; parameters as for `PrivateRidge`, and threshold > 0 in units of half the range.

    Parameters
    ----------
    target_range : (low, high), public; targets outside are clipped to it
    threshold : > 0, in units of half the range
    epsilon, delta, method, row_norm, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`

    References: redberg-koskela-wang-2023.
    """

    _loss = "huber"
    threshold: float = field(default=0.5, kw_only=True)

    def _loss_used(self) -> Loss:
        return Huber(self.threshold)


@dataclass(eq=False, repr=False)
class PrivateRegressor(RangeRegressor, AnyLoss):
    """Linear regression with any loss of `LOSSES` for numbers.

    Parameters as for `PrivateRidge`, and loss : name in `LOSSES`, or a `Loss` (its parameters in units of half the range).

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    target_range : (low, high), public; targets outside are clipped to it
    epsilon, delta, method, row_norm, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`

    Examples
    --------
    >>> import numpy as np
    >>> import dpcore as dp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((3000, 2)) / 3
    >>> model = dp.sklearn.PrivateRegressor("huber", epsilon=2.0, random_state=0).fit(X, 0.5 * X[:, 0])
    >>> model.score(X, 0.5 * X[:, 0]) > 0.8
    True

    References: redberg-koskela-wang-2023.
    """

    loss: Any = "squared"
