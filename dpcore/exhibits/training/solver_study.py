"""The cost of each solver as the data grow, and what is saved if the solver stops early."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.calibration.objective import excess_risk
from dpcore.data import Domain
from dpcore.data.names import grouped
from dpcore.data.samples.synthetic import logistic_gaussian
from dpcore.errors import CalibrationError, ConvergenceError
from dpcore.glm import SAG, AcceleratedGradient, GradientDescent, Newton, Problem, Solver, solve
from dpcore.learners import AMP, PublicFacts
from dpcore.mechanisms import ApproximateMinimaPerturbation, ObjectivePerturbation
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

SOLVER_TITLES = {
    "sag": "SAG",
    "gradient_descent": "gradient descent",
    "accelerated_gradient": "accelerated gradient",
    "newton": "Newton",
}
THEORY_SLOPES = {"sag": 1.0, "gradient_descent": 2.0, "accelerated_gradient": 1.5, "newton": 1.0}
SAG_CARD = formula_card(__file__, "sag")
MOST_EVALUATIONS = 3 * 10**7  # gradients of one record's loss after which a solver is given up
_STEEPNESS, _FEATURES, _SEED = 4.0, 10, 0  # of the generated records: steepness of the labels, features, seed
_LAM, _TOL = 1.0, 1e-4  # λ of every problem (sum form), and the gradient norm at which it is solved
_EPSILON, _DELTA, _SHARE = 1.0, 1e-5, 0.9  # guarantee of a release that stops early, and the minimiser's share of ε
_SHIFTS = (1e-6, 1e3)  # range in which 2τ/(λσ_out) of a stopping rule is searched


@dataclass(frozen=True)
class SolverPoint:
    """Cost of one solver on n records.

    Parameters
    ----------
    solver : key in `SOLVER_TITLES`
    n : number of records
    evaluations : gradients of one record's loss until ‖∇J‖ ≤ tol; nan if the solver was given up
    hessians : number of Hessians computed, which are not counted in `evaluations`
    seconds : time taken
    problem : a sentence on why there is no number, or ""
    """

    solver: str
    n: int
    evaluations: float
    hessians: int
    seconds: float
    problem: str = ""


def solver_counts(sizes: Sequence[int], solvers: Sequence[str] = tuple(SOLVER_TITLES)) -> Iterator[SolverPoint]:
    r"""Gradient evaluations until ‖∇J‖ ≤ 10⁻⁴ against the number of records, for logistic regression with λ = 1 in sum form.

    In theory, with S = nβ, SAG needs max(n, nβ/λ) log(1/τ) evaluations, gradient descent n(S/λ) log(1/τ), its
    accelerated form n√(S/λ) log(1/τ), and Newton a number of passes that hardly grows. `THEORY_SLOPES` has the slopes
    on logarithmic axes.

    Parameters
    ----------
    sizes : numbers of records ≥ 1, smallest first; a solver that was given up is not tried with more records
    solvers : keys of `SOLVER_TITLES`

    Yields
    ------
    SolverPoint

    References: redberg-koskela-wang-2023 (Theorem G.1).
    """
    given_up: dict[str, str] = {}
    for n in sizes:
        data = logistic_gaussian(n, _FEATURES, _STEEPNESS, np.random.default_rng(_SEED)).dataset
        problem = Problem("logistic", data.X, data.y, lam=_LAM)
        for name in solvers:
            if name in given_up:
                yield SolverPoint(name, n, np.nan, 0, 0.0, given_up[name])
                continue
            started = time.perf_counter()
            try:
                fit = solve(problem, _TOL, _solvers(max_passes=max(10, MOST_EVALUATIONS // n))[name], rng=_SEED)
            except ConvergenceError:
                given_up[name] = f"{SOLVER_TITLES[name]} was given up after {grouped(MOST_EVALUATIONS)} evaluations."
                yield SolverPoint(name, n, np.nan, 0, time.perf_counter() - started, given_up[name])
            else:
                yield SolverPoint(name, n, float(fit.evaluations), fit.hessians, time.perf_counter() - started)


def sag_bound(sizes: Sequence[int], *, lam: float = _LAM, tol: float = _TOL, failure: float = 0.01) -> Curve:
    r"""A bound on SAG's gradient evaluations, with a check after every n steps; it fails with probability `failure`.

    .. math:: 2n\left\lceil\frac1n\cdot\frac{\log A/(τ²\,\text{failure})}{-\log(1-r)}\right\rceil,\qquad
              r = \min\Bigl\{\frac{λ}{16S}, \frac1{8n}\Bigr\}, \quad
              A = \frac{2S²}{λ}\Bigl(\frac{3n}{2}G + 4S\frac{2G}{λ}\Bigr)

    This is the theorem with the constants of its proof, for logistic regression on records of norm ≤ 1: S = n/4 + λ,
    and from θ₀ = 0 the gap G is at most n log 2 and the squared distance at most 2G/λ, so no data are looked at. The 2
    in A follows from (G.2); the 2 in front counts the checks. The bound holds if the memory starts with the gradients
    at θ₀; the memory of `SAG` starts empty.

    Parameters
    ----------
    sizes : numbers of records n
    lam, tol : λ and τ > 0, sum form
    failure : in (0, 1), probability that the bound fails

    Raises
    ------
    ParameterError

    References: redberg-koskela-wang-2023 (Theorem G.1).
    """
    n, failure = np.asarray(sizes, dtype=float), validation.open_probability("failure", failure)
    smooth, gap = n / 4 + lam, n * np.log(2)
    start = 2 * smooth**2 / lam * (1.5 * n * gap + 8 * smooth * gap / lam)
    steps = np.log(start / (tol**2 * failure)) / -np.log1p(-np.minimum(lam / (16 * smooth), 1 / (8 * n)))
    return Curve("SAG, Theorem G.1", n, 2 * n * np.ceil(steps / n), Bound.UPPER)


def slope(points: Sequence[SolverPoint], solver: str) -> float:
    """Fitted exponent of n in the evaluations of one solver; nan with fewer than two sizes."""
    found = [(p.n, p.evaluations) for p in points if p.solver == solver and np.isfinite(p.evaluations)]
    if len({n for n, _ in found}) < 2:
        return float("nan")
    n, evaluations = np.log(np.array(found)).T
    return float(np.polyfit(n, evaluations, 1)[0])


def _solvers(*, trace: bool = False, **limit: Any) -> dict[str, Solver]:
    return {
        "sag": SAG(trace=trace, **limit),
        "gradient_descent": GradientDescent(**limit),
        "accelerated_gradient": AcceleratedGradient(**limit),
        "newton": Newton(),
    }


@dataclass(frozen=True)
class StoppingPoint:
    """One choice of τ at a fixed guarantee.

    Parameters
    ----------
    tau : gradient norm at which the solver stops, sum form
    sigma_out : noise on the result that keeps the guarantee
    evaluations : gradients of one record's loss that SAG needs
    risk : bound on the excess risk that τ and σ_out add, per record
    """

    tau: float
    sigma_out: float
    evaluations: float
    risk: float


def stopping_tradeoff(taus: Sequence[float], *, n: int = 2000, n_features: int = _FEATURES) -> list[StoppingPoint]:
    """Noise on the result against the gradient norm at which the solver stops, at the same ε = 1 and δ = 10⁻⁵.

    The exact minimiser gets nine tenths of ε; the rest is for stopping early. The guarantee depends on τ and σ_out only
    through τ/(λσ_out), so σ_out is proportional to τ.

    Parameters
    ----------
    taus : values of τ > 0
    n, n_features : size of the generated data

    Raises
    ------
    ParameterError, CalibrationError
    """
    facts = PublicFacts(n, n_features, Domain())
    learner = AMP("logistic", epsilon=_SHARE * _EPSILON, delta=_DELTA)
    profile: Any = learner.plan(facts).profile
    chosen: ObjectivePerturbation = profile.exact
    shift = _largest_shift(chosen)
    data = logistic_gaussian(n, n_features, _STEEPNESS, np.random.default_rng(_SEED)).dataset
    rng = np.random.default_rng(_SEED)
    problem = Problem(
        "logistic", data.X, data.y, lam=chosen.lam, linear=chosen.sigma * rng.standard_normal(n_features),
        clip=chosen.lipschitz,
    )  # fmt: skip
    found = []
    for tau in taus:
        sigma_out = 2 * tau / (chosen.lam * shift)
        fit = solve(problem, tau, "sag", rng=_SEED)
        added = excess_risk(
            0.0, chosen.lam, dimension=n_features, theta_norm=1e-300, n=n, lipschitz=chosen.lipschitz, tau=tau,
            sigma_out=sigma_out,
        )  # fmt: skip
        found.append(StoppingPoint(tau, sigma_out, float(fit.evaluations), float(added) / n))
    return found


def _largest_shift(exact: ObjectivePerturbation) -> float:
    """Largest 2τ/(λσ_out) for which the whole release meets the target, to 1 %."""

    def met(shift: float) -> bool:
        whole = ApproximateMinimaPerturbation(
            exact.sigma, exact.lam, exact.lipschitz, exact.smoothness, shift * exact.lam / 2, 1.0,
            monotone=exact.monotone,
        )  # fmt: skip
        return bool(whole.delta(_EPSILON) <= _DELTA)

    low, high = np.log(_SHIFTS)
    if not met(float(np.exp(low))):
        raise CalibrationError(f"nothing of ({_EPSILON:g}, {_DELTA:g}) is left for the stopping rule")
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (middle, high) if met(float(np.exp(middle))) else (low, middle)
    return float(np.exp(low))


MOST_PASSES = 400  # a solver that needs more passes is drawn up to this number


@dataclass(frozen=True, eq=False)
class Runner:
    """The path of one solver.

    Parameters
    ----------
    solver : key in `SOLVER_TITLES`
    passes : array, gradients of all records computed so far
    norm : array, ‖∇J‖ after these passes
    """

    solver: str
    passes: np.ndarray
    norm: np.ndarray

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest norm."""
        return float(self.norm.min()), float(self.norm.max())

    def needed(self, tol: float) -> float:
        """Passes until ‖∇J‖ ≤ tol; nan if this is never reached."""
        there = np.flatnonzero(self.norm <= tol)
        return float(self.passes[there[0]]) if there.size else float("nan")


def race() -> list[Runner]:
    """All solvers on one generated logistic regression, n = 2000, d = 10, λ = 1, from θ = 0 until ‖∇J‖ ≤ 1e-4.

    References: redberg-koskela-wang-2023 (Theorem G.1).
    """
    n = 2000
    data = logistic_gaussian(n, _FEATURES, _STEEPNESS, np.random.default_rng(_SEED)).dataset
    problem, found = Problem("logistic", data.X, data.y, lam=_LAM), []
    for name, solver in _solvers(trace=True).items():
        path = solve(problem, _TOL, solver, rng=_SEED).history
        kept = path[path[:, 0] <= MOST_PASSES * n]
        found.append(Runner(name, kept[:, 0] / n, kept[:, 1]))
    return found
