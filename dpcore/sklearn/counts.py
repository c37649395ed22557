"""Private regression of counts with a public largest count."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from dpcore import validation
from dpcore.glm.losses import COUNT
from dpcore.sklearn.base import AnyLoss, PrivateGLM


@dataclass(eq=False, repr=False)
class CountRegressor(RegressorMixin, PrivateGLM):
    """The base of regressors of counts: counts above a public largest count are clipped to it.

    Parameters
    ----------
    largest_count : > 0, public; larger counts are clipped to it
    epsilon, delta, method, row_norm, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`
    """

    _target = COUNT

    largest_count: float = field(default=10.0, kw_only=True)

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows X (n_samples, n_features) and counts y ≥ 0 (n_samples,)."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        bound = validation.positive("largest_count", self.largest_count)
        self._fit(X, np.minimum(np.asarray(y, dtype=np.float64), bound), bound)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Expected count of each row, at most `largest_count`; shape (n_samples,)."""
        return np.minimum(self._loss_used().predicted_mean(self._predictor(X)), self.largest_count)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        # On the 200 rows of scikit-learn's checks the noise leaves little of the signal.
        tags.regressor_tags.poor_score = True
        return tags


class PrivatePoissonRegressor(CountRegressor):
    """Poisson regression of counts with a logarithmic link; counts above `largest_count` are clipped to it.

    Parameters as for `PrivateLogisticRegression`, and largest_count > 0, public.

    References: redberg-koskela-wang-2023, li-liu-napp.
    """

    _loss = "poisson"


@dataclass(eq=False, repr=False)
class PrivateCountRegressor(CountRegressor, AnyLoss):
    """Regression of counts with any loss of `LOSSES` for counts.

    Parameters as for `PrivatePoissonRegressor`, and loss : name in `LOSSES`, or a `Loss`.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    largest_count : > 0, public; larger counts are clipped to it
    epsilon, delta, method, row_norm, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`

    References: redberg-koskela-wang-2023.
    """

    loss: Any = "poisson"
