"""What all estimators share: public bounds, the learner, and the release."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore import validation
from dpcore.data import Dataset, Domain
from dpcore.data.scaling import scale_rows
from dpcore.errors import ParameterError, UnsupportedError
from dpcore.glm.losses import Loss, TargetKind, find
from dpcore.learners import LEARNERS, Centred, Learner, Release
from dpcore.learners.rules import NO_INTERCEPT
from dpcore.profiles import PrivacyProfile

# Value of the constant column relative to R. It lengthens rows by 2 %, so that it costs little additional noise.
INTERCEPT_SHARE = 0.2
TRAINING_METHODS = ("amp", "centred", "output_perturbation", "dp_sgd")


@dataclass(eq=False, repr=False)
class PrivateGLM(BaseEstimator):
    """The base of all estimators: bounds, the learner, and the release.

    scikit-learn reads the names of the parameters off the constructor.

    Parameters
    ----------
    epsilon, delta : the privacy target, in nats and as a probability
    method : "amp", "centred", "output_perturbation" or "dp_sgd"
    row_norm : R > 0, public bound on the norm of a row; longer rows are scaled back, in fit and in predict
    clip : C > 0, bound on the gradient norm of a record; chosen from public facts if not given
    fit_intercept : adds a constant column of 0.2 R, regularised and counted in the norm
    regularise_intercept : must be True; False is refused with the reason
    random_state : None or a generator: every fit, clone and fold then has fresh noise from the operating system. Or a
        seed, for experiments only: all clones then share their noise, so that the difference of two folds shows the
        data, and the fitted model holds the seed. (Ensembles of scikit-learn set seeds.)
    """

    _loss: ClassVar[str]
    _target: ClassVar[TargetKind]

    epsilon: float = 1.0
    delta: float = 1e-5
    _: KW_ONLY
    method: str = "amp"
    row_norm: float = 1.0
    clip: float | None = None
    fit_intercept: bool = True
    regularise_intercept: bool = True
    random_state: Any = None

    @property
    def profile_(self) -> PrivacyProfile:
        """Guarantee of the release."""
        check_is_fitted(self)
        return self.release_.profile

    def _loss_used(self) -> Loss:
        """The parameter `loss` if the class has one, else the loss of the class; it must suit the kind of target."""
        loss = find(self.loss if hasattr(self, "loss") else self._loss)
        if loss.target != self._target:
            raise ParameterError(
                f"{type(self).__name__} is for {self._target.name} targets, and {loss!r} for {loss.target.name} ones: "
                "use dp.sklearn.estimator_for(loss)"
            )
        return loss

    def _learner(self) -> Learner:
        method = validation.choice("method", self.method, TRAINING_METHODS)
        target: dict[str, Any] = {"epsilon": self.epsilon, "delta": self.delta, "clip": self.clip}
        if method == "centred":
            if not self.fit_intercept:
                raise UnsupportedError("method='centred' needs the constant column of fit_intercept=True")
            share = INTERCEPT_SHARE / float(np.hypot(1, INTERCEPT_SHARE))
            return Centred(self._loss_used(), constant=share, **target)
        return LEARNERS[method](self._loss_used(), **target)

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
        """Rows scaled back to the ball of radius `row_norm`, with a constant column if an intercept is fitted."""
        rows = np.array(X, dtype=np.float64, order="C")
        scale_rows(rows, Domain(row_norm=row_norm))
        constant = np.full(len(rows), INTERCEPT_SHARE * row_norm)
        return np.column_stack([rows, constant]) if self.fit_intercept else rows

    def _generator(self) -> np.random.Generator:
        """A generator with fresh entropy, or from the seed.

        A generator that the user gives is not used. `clone` copies its state, so anyone who has the model could draw
        the noise again.
        """
        state = self.random_state
        if state is None or isinstance(state, np.random.Generator | np.random.RandomState):
            return np.random.default_rng()
        return np.random.default_rng(validation.integer("random_state", state, minimum=0))

    def _predictor(self, X: Any) -> np.ndarray:
        """xᵀθ of rows brought into the same ball as the training rows, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._bounded(X, float(self.row_norm)) @ self.release_.theta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


@dataclass(eq=False, repr=False)
class AnyLoss:
    """A base class that makes `loss` the first parameter of an estimator.

    A data class takes the fields of its last base first, so this class must be the last base.
    """

    loss: Any = ""
