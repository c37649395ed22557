"""Leverage and exact per-instance privacy of every row, against matrix products alone and against statsmodels.

The limit is what no method can avoid: XᵀX and one product of X with a d × d matrix, in the same chunks on the same two
threads. statsmodels (`OLSInfluence`: hat values and leave-one-out residuals) runs on a tenth of the rows and its time is
multiplied by ten, which favours it: it holds several copies of X.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.outliers_influence import OLSInfluence

import dpcore as dp
from dpcore.glm.threads import over_blocks
from dpcore.individual.fit.refits import rows_per_chunk

N, D, REPEATS = 1_000_000, 50, 5
PEER_SHARE = 10


def _data() -> dp.Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) / np.sqrt(D)
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    return dp.Dataset.from_arrays(X, np.clip(X @ rng.normal(size=D) * 0.3 + 0.3 * rng.normal(size=N), -1, 1))


def _limit(X: np.ndarray) -> None:
    chunk, matrix = rows_per_chunk(D), np.random.default_rng(1).normal(size=(D, D))

    def gram(slices: list[slice]) -> np.ndarray:
        total = np.zeros((D, D))
        for rows in slices:
            total += X[rows].T @ X[rows]
        return total

    def product(slices: list[slice]) -> None:
        buffer = np.empty((chunk, D))
        for rows in slices:
            np.matmul(X[rows], matrix, out=buffer[: rows.stop - rows.start])

    over_blocks(gram, N, chunk, X.size * D)
    over_blocks(product, N, chunk, X.size * D)


def _peer(X: np.ndarray, y: np.ndarray) -> None:
    influence = OLSInfluence(OLS(y, X).fit())
    _ = influence.hat_matrix_diag, influence.resid_press


def _medians(tasks: dict[str, Callable[[], object]], repeats: int = REPEATS) -> dict[str, float]:
    """Median seconds of each task, the tasks taking turns so that other load falls on all of them."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            started = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(values) for name, values in times.items()}


def run() -> list[str]:
    """Medians of a few alternating runs, as ratios."""
    ds = _data()
    mechanisms = {
        "output perturbation": dp.OutputPerturbation(sigma=0.01, lam=1.0),
        "posterior sample, γ = 1": dp.PosteriorSampling(gamma=1.0, lam=1.0),
        "posterior sample, γ = 0.001": dp.PosteriorSampling(gamma=1e-3, lam=1.0),
    }
    few = ds.X[::PEER_SHARE].copy(), ds.y[::PEER_SHARE].copy()
    tasks: dict[str, Callable[[], object]] = {
        "limit": lambda: _limit(ds.X),
        "leverage": lambda: dp.leverage(ds, 1.0),
        **{name: lambda m=m: dp.individual_privacy(ds, m) for name, m in mechanisms.items()},
    }
    seconds = _medians(tasks)
    peer = PEER_SHARE * _medians({"peer": lambda: _peer(*few)}, 3)["peer"]
    base = seconds["leverage"]
    tracemalloc.start()
    dp.leverage(ds, 1.0)
    memory = tracemalloc.get_traced_memory()[1] / ds.X.nbytes
    tracemalloc.stop()
    lines = [
        f"n = {N:,}, d = {D}: leverage and leave-one-out residual of every row {base:.3f} s",
        f"matrix products alone {seconds['limit']:.3f} s: ratio {base / seconds['limit']:.2f} (target 1.3)",
        f"statsmodels at n = {N // PEER_SHARE:,}, times {PEER_SHARE}: {peer:.1f} s: {peer / base:.0f} × slower (target 20)",
        f"extra memory {memory:.3f} of X (target 0.1)",
    ]
    for name in mechanisms:
        extra = seconds[name] - base
        lines.append(f"exact pDP of every row, {name}: {extra:.3f} s more, {extra / base:.2f} × leverage (target 3)")
    return lines
