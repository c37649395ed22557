"""Private classifiers of two classes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from dpcore.errors import DataError, UnsupportedError
from dpcore.glm.losses import BINARY
from dpcore.sklearn.base import AnyLoss, PrivateGLM


@dataclass(eq=False, repr=False)
class BinaryClassifier(ClassifierMixin, PrivateGLM):
    """The base of classifiers: the two classes become the labels −1 and 1.

    Parameters
    ----------
    classes : the two labels, public; if not given they are read off `y`, which must then hold both
    epsilon, delta, method, row_norm, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`
    """

    _target = BINARY

    classes: Any = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows X (n_samples, n_features) and two classes y (n_samples,)."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        found = np.unique(y)
        classes = found if self.classes is None else np.unique(self.classes)
        if len(classes) != 2:
            raise UnsupportedError(
                f"Only binary classification is supported. The target has {len(classes)} "
                f"class{'' if len(classes) == 1 else 'es'}; exactly two are needed. The labels are public: where the rows need "
                "not hold both, state them as classes=(…, …)."
            )
        if not np.isin(found, classes).all():
            raise DataError(f"The target holds labels other than the stated classes {classes.tolist()}.")
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


class PrivateLogisticRegression(BinaryClassifier):
    r"""Logistic regression under (ε, δ)-differential privacy, for two classes.

    Parameters
    ----------
    epsilon, delta : the privacy target, in nats and as a probability
    method : "amp", "centred", "output_perturbation" or "dp_sgd"
    row_norm : R > 0, public bound on the norm of a row; longer rows are scaled back, in fit and in predict
    classes : the two labels, public; if not given they are read off `y`, which must then hold both
    clip : C > 0, bound on the gradient norm of a record; chosen from public facts if not given
    fit_intercept : adds a constant column of 0.2 R, regularised and counted in the norm
    regularise_intercept : must be True; False is refused with the reason
    random_state : None or a generator: every fit, clone and fold then has fresh noise from the operating system. Or a
        seed, for experiments only: all clones then share their noise, so that the difference of two folds shows the
        data, and the fitted model holds the seed. (Ensembles of scikit-learn set seeds.)

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
        """Probability of each class under the released model, shape (n_samples, 2), not corrected for the noise."""
        positive = special.expit(self._predictor(X))
        return np.column_stack([1 - positive, positive])


class PrivateLinearSVC(BinaryClassifier):
    """Support vector classifier with the smoothed hinge loss; parameters as for `PrivateLogisticRegression`.

    References: redberg-koskela-wang-2023.
    """

    _loss = "smoothed_hinge"


@dataclass(eq=False, repr=False)
class PrivateClassifier(BinaryClassifier, AnyLoss):
    """Classifier of two classes with any loss of `LOSSES` for labels.

    Parameters as for `PrivateLogisticRegression`, and loss : name in `LOSSES`, or a `Loss`.

    Parameters
    ----------
    loss : name in `LOSSES`, or a `Loss`
    epsilon, delta, method, row_norm, classes, clip, fit_intercept, regularise_intercept, random_state :
        as for `PrivateLogisticRegression`

    References: redberg-koskela-wang-2023.
    """

    loss: Any = "logistic"
