"""Output perturbation of ridge regression: the estimate plus Gaussian noise of a fixed shape."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from dpcore import validation
from dpcore.errors import DataError, ParameterError, UnsupportedError
from dpcore.mechanisms.entry import Parameter
from dpcore.mechanisms.releases import (
    Alternatives,
    GlmRelease,
    ReleaseEntry,
    RidgeFit,
    bounded_gradient,
    in_any_domain,
    penalty_control,
    set_model,
)
from dpcore.mechanisms.shifted_normal import ShiftedNormal
from dpcore.numerics import LARGEST_ROOT
from dpcore.profiles import Bound
from dpcore.references import FormulaCard, formula_card

NOISE_SHAPES = ("identity", "gram", "gram_squared")
# The names are those of the source.
SHAPE_WORDS = dict(zip(NOISE_SHAPES, ("isotropic: I", "Fisher: XᵀX", "democratic: (XᵀX)²"), strict=True))


@dataclass(frozen=True)
class GaussianShift(ShiftedNormal):
    r"""Gaussian noise on an estimate that one record moves by a known distance. Exact for that distance.

    .. math:: δ(ε) = Φ(Δ/2 − ε/Δ) − e^ε Φ(−Δ/2 − ε/Δ)

    Parameters
    ----------
    shift : float ≥ 0
        Δ = ‖θ̂ − θ̂'‖_A/σ, dimensionless.

    References: balle-wang-2018, wang-2019 (Lemma 4, corrected, Definition 3).
    """

    shift: float

    bound: ClassVar[Bound] = Bound.EXACT


@dataclass(frozen=True)
class LargestGaussianShift(GaussianShift):
    """Gaussian noise on an estimate that one record moves by at most a distance: an upper bound."""

    bound: ClassVar[Bound] = Bound.UPPER


def largest_change(lam: float, row_norm: float, target_bound: float, n: int) -> float:
    r"""sup ‖θ̂ − θ̂'‖ over data sets of at most n rows and one more record, all with ‖x‖ ≤ R and |y| ≤ B.

    For x along an eigenvector of H with eigenvalue h the change is at most

    .. math:: F(ρ, h) = \frac{Bρ(1 + (ρ/h)\sqrt{n(h−λ)})}{h + ρ²}, \quad ρ ≤ R, \; λ ≤ h ≤ λ + nR²,

    every other configuration gives no more, and n equal rows along x attain it. Without the limits the maximum is
    B√(1+n)/(2√λ), at h = λ(1+2n)/(1+n) and ρ = (1+2n)√(λ/(1+n)). Where that ρ exceeds R the maximum has ρ = R and is
    found among the roots of F's derivative in τ = √(h−λ).
    """
    reach = row_norm / np.sqrt(lam)  # lengths in units of √λ, so that nothing overflows
    if 1 + 2 * n <= reach * np.sqrt(1 + n):
        return float(target_bound * np.sqrt(1 + n) / (2 * np.sqrt(lam)))
    tau = np.polynomial.Polynomial([0.0, 1.0])
    numerator = tau**2 + 1 + reach * np.sqrt(n) * tau
    denominator = (tau**2 + 1) * (tau**2 + 1 + reach**2)
    roots = (numerator.deriv() * denominator - numerator * denominator.deriv()).roots()
    largest = reach * np.sqrt(n)
    candidates = np.concatenate([[0.0, largest], np.clip(roots.real, 0.0, largest)])
    return float(target_bound / np.sqrt(lam) * reach * np.max(numerator(candidates) / denominator(candidates)))


@dataclass(frozen=True, repr=False)
class OutputPerturbation(GlmRelease):
    r"""A generalised linear model released as θ̂ + N(0, σ²A⁻¹), θ̂ = argmin Σf(xᵢᵀθ; yᵢ) + (λ/2)‖θ‖².

    For the squared loss, ridge regression, θ̂ = (XᵀX + λI)⁻¹Xᵀy.

    Parameters
    ----------
    sigma : float > 0
        Noise level: the covariance of the noise is σ²A⁻¹.
    lam : float ≥ 0
        Ridge penalty in sum form. 0 needs a data matrix of full column rank and has no worst-case guarantee.
    shape : "identity", "gram", "gram_squared" or array (n_features, n_features), symmetric positive definite
        A. "gram" is XᵀX and "gram_squared" its square, both of the data at hand and treated as public.
    loss : str or Loss
        f: a name in `LOSSES`, or a loss.
    clip : float > 0, optional
        C: every record's loss is replaced by the convex one whose gradient is clipped to norm C.

    References: wang-2019 (Lemma 13, Noise shapes), balle-wang-2018.
    """

    sigma: float
    lam: float
    shape: Any = "identity"
    loss: Any = field(default="squared", repr=False)
    clip: float | None = field(default=None, repr=False)

    card: ClassVar[FormulaCard] = formula_card(__file__, "output_perturbation")
    release: ClassVar[str] = "output"
    is_normal: ClassVar[bool] = True
    noise: ClassVar[Parameter] = Parameter("sigma", "σ", "Noise σ", 1.0, 1e-3, 100.0, noise=1)

    def __post_init__(self) -> None:
        validation.set_checked(self, sigma=validation.positive)
        set_model(self)
        if isinstance(self.shape, str):
            validation.choice("shape", self.shape, NOISE_SHAPES)
        else:
            object.__setattr__(self, "shape", _positive_definite(self.shape))

    @property
    def shaped_by_data(self) -> bool:
        """Whether A is computed from the data."""
        return self.shape in NOISE_SHAPES[1:]

    @property
    def caveat(self) -> str:
        """A warning that the numbers are no guarantee, where the shape of the noise depends on the data; else empty."""
        if not self.shaped_by_data:
            return ""
        return (
            f"The shape of the noise ({self.shape}) is computed from the data and treated as if it were public: "
            "these numbers explore the method, they are not a privacy guarantee. Use shape='identity' or a fixed matrix "
            "for one."
        )

    def root(self, gram: np.ndarray) -> np.ndarray:
        """B with BᵀB = A, for data with the Gram matrix XᵀX (n_features, n_features).

        Raises
        ------
        ParameterError
            If a given shape has the wrong size.
        DataError
            If a Gram shape is singular: the noise would be infinite.
        """
        features = gram.shape[0]
        if self.shape == "identity":
            return np.eye(features)
        if self.shape not in NOISE_SHAPES:
            if len(self.shape) != features:
                raise ParameterError(
                    f"shape must be {features} × {features} for these data, got {len(self.shape)} × {len(self.shape)}"
                )
            return linalg.cholesky(np.array(self.shape))
        factor = _factor(gram)
        if factor is None:
            raise DataError(
                f"the columns are collinear, so XᵀX is singular and noise of shape {self.shape!r} would be infinite: "
                "remove redundant columns or use shape='identity'"
            )
        return gram if self.shape == "gram_squared" else factor

    def nearby(self, fit: RidgeFit, Z: np.ndarray) -> np.ndarray:
        """σB⁻¹Z; see `GlmRelease.nearby`."""
        return self.sigma * linalg.solve(self.root(fit.gram), Z)

    def worst_case(self, domain: Any, n: int) -> GaussianShift:
        r"""Differential-privacy profile over every data set of at most `n` rows of the public domain, n public.

        For a loss other than the plain squared one it is an upper bound that holds for any n. With L the largest norm
        of the gradient of a record:

        .. math:: ‖\hat θ − \hat θ'‖ \le L/λ

        Parameters
        ----------
        domain : object with `row_norm` (R) and `target_bound` (B), such as `dp.Domain`.
        n : int ≥ 0, rows of the smaller of the two neighbouring data sets.

        Raises
        ------
        UnsupportedError
            If lam = 0 (ε has no bound), the shape depends on the data (frozen shapes are not private), or a record's gradient
            has no bound.
        """
        n = validation.integer("n", n, minimum=0)
        if self.shaped_by_data:
            raise UnsupportedError(
                f"there is no worst case for shape={self.shape!r}: the noise itself depends on the data. Use "
                "shape='identity' or a fixed matrix"
            )
        if self.lam == 0:
            raise UnsupportedError(
                "without regularisation (lam = 0) one record can move the estimate arbitrarily far: there is no "
                "worst-case guarantee. Use lam > 0"
            )
        if self.is_linear:
            kind, row_norm = GaussianShift, validation.positive("row_norm", domain.row_norm)
            change = largest_change(self.lam, row_norm, validation.positive("target_bound", domain.target_bound), n)
        else:
            kind, change = LargestGaussianShift, bounded_gradient(self, domain) / self.lam
        largest = 1.0 if self.shape == "identity" else float(np.linalg.eigvalsh(np.array(self.shape))[-1])
        with np.errstate(over="ignore"):
            return kind(min(float(np.sqrt(largest) * np.float64(change) / self.sigma), LARGEST_ROOT))


def _factor(matrix: np.ndarray) -> np.ndarray | None:
    """Upper Cholesky factor of a symmetric matrix; None unless it is positive definite beyond rounding."""
    if np.diag(matrix).min() <= 0:
        return None
    scale = np.sqrt(np.diag(matrix))
    scaled = matrix / np.outer(scale, scale)
    if np.linalg.eigvalsh(scaled)[0] < 1e3 * len(matrix) * np.finfo(float).eps:
        return None
    return np.asarray(linalg.cholesky(scaled) * scale)


def _positive_definite(value: Any) -> tuple[tuple[float, ...], ...]:
    matrix = validation.real_array("shape", value)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ParameterError(
            f"shape must be one of {', '.join(map(repr, NOISE_SHAPES))} or a square matrix, got {value!r}"
        )
    if not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max() > 1e-12 * np.abs(matrix).max():
        raise ParameterError("shape must be a finite symmetric matrix")
    symmetric = (matrix + matrix.T) / 2
    if _factor(symmetric) is None:
        raise ParameterError(
            "shape must be positive definite: its smallest eigenvalue is not > 0, or not beyond rounding"
        )
    return tuple(map(tuple, symmetric.tolist()))


ENTRY = ReleaseEntry(
    OutputPerturbation.release,
    "Output perturbation",
    in_any_domain(OutputPerturbation),
    (penalty_control(), OutputPerturbation.noise),
    OutputPerturbation.card,
    option="output_perturbation",
    law="θ̂ + N(0, σ²A⁻¹)",
    asked={"sigma": None, "shape": "identity"},
    alternatives=(
        Alternatives(
            "shape",
            "Noise shape A",
            SHAPE_WORDS,
            "The noise covariance is σ²A⁻¹. The Gram shapes are computed from the data and treated as public: an "
            "exploration, not a guarantee.",
        ),
    ),
)
