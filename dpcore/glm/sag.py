"""Stochastic average gradient: one record per step, with a memory of every record's last gradient."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import UnsupportedError
from dpcore.glm.solver import Path, Solver, curvatures

SAMPLINGS = ("replacement", "shuffled")
_FIRST_CHECK = 1 / 3  # share of tol to which the estimated norm must fall before the true gradient is worth a pass
_MARGIN = 0.5  # safety factor on the ratio of the estimated to the true norm that a failed check has shown
_RENEW_EVERY = 10  # passes after which the running sum is computed afresh, so that rounding does not build up


@dataclass(frozen=True)
class SAG(Solver):
    r"""Stochastic average gradient of Schmidt, Le Roux and Bach (2017).

    .. math:: θ ← θ − \frac sL\Big(\frac1m \sum_{i\ \text{seen}} f'_i x_i + \frac{λw∘θ + b}{n}\Big),
              \qquad L = \max_i β_f‖x_i‖² + \frac{λ\max_j w_j}{n}

    Each step draws a record and renews its f'_i; m records have been seen so far, and the penalty and the linear term
    enter exactly. Takes O(max(n, nβ/λ) log(1/τ)) evaluations. The true gradient is only computed when the running sum
    suggests that it is small enough: normally once or twice in a run.

    Parameters
    ----------
    step : s > 0, dimensionless
        1/16 is the published value with a proof.
    sampling : "replacement" (uniform, as published) or "shuffled"
        Shuffled takes all records in a new order in every pass. It has no proof, is often faster where λ is large, and
        need not converge where λ is small.
    max_passes : int ≥ 1
    trace : bool
        Record the true ‖∇J‖ after every pass, not counted as evaluations: for pictures.

    References: redberg-koskela-wang-2023 (Theorem G.1).
    """

    step: float = 1 / 16
    sampling: str = "replacement"
    max_passes: int = 2000
    trace: bool = False

    @property
    def title(self) -> str:  # type: ignore[override]
        return "SAG" if self.sampling == "replacement" else "SAG (shuffled)"

    def __post_init__(self) -> None:
        validation.set_checked(self, step=validation.positive)
        validation.choice("sampling", self.sampling, SAMPLINGS)
        validation.at_least_one("max_passes", self.max_passes)
        validation.flag("trace", self.trace)

    def run(self, path: Path, tol: float, rng: np.random.Generator) -> None:
        problem, theta = path.problem, path.theta
        n, loss = problem.n_samples, problem.clipped_mean()
        if loss is None:
            raise UnsupportedError(
                f"{self.title} runs in compiled code, and the loss {problem.loss!r} does not give its derivative in the form "
                "that code reads: use solver='newton' or 'lbfgs', or leave solver out"
            )
        from dpcore.glm.kernels import LAST, MEANS, run_steps

        rate = self.step / float(curvatures(problem, self.title).max() + problem.penalty.max() / n)
        decay, drift = 1 - rate / n * problem.penalty, rate / n * problem.linear
        records = np.column_stack([loss.target, loss.low, loss.high, np.zeros(n)])
        seen, total = np.zeros(n, dtype=bool), np.zeros(problem.n_features)
        recent, enough = np.inf, _FIRST_CHECK * tol
        for passes in range(1, self.max_passes + 1):
            order = rng.integers(n, size=n) if self.sampling == "replacement" else rng.permutation(n)
            run_steps(order, problem.X, MEANS[loss.mean], loss.scale, records, seen, theta, total, rate, decay, drift)
            path.evaluations += n
            path.iterations += n
            if passes % _RENEW_EVERY == 0:
                total[:] = records[:, LAST] @ problem.X
            if self.trace:
                path.record(float(np.linalg.norm(problem.gradient(theta))))
            estimate = float(np.linalg.norm(total * (n / seen.sum()) + problem.penalty * theta + problem.linear))
            if not np.isfinite(estimate):
                break
            previous, recent = recent, estimate
            if max(previous, recent) <= enough:
                norm = path.record(float(np.linalg.norm(path.gradient(theta))))
                if norm <= tol:
                    return
                enough = _MARGIN * tol * max(previous, recent) / norm
        path.reason = f"it used up its {path.iterations // n} passes over the data"
        if self.sampling == "shuffled":
            path.reason = "without replacement it need not converge when lam is small"
