"""ε of every row, for every model and release: elapsed, and processor time as multiples of one posterior sample of linear regression."""

from __future__ import annotations

import time

import numpy as np

import dpcore as dp
from dpcore.glm import LOSSES
from dpcore.mechanisms.releases import GlmRelease

N, D, DELTA = 100_000, 20, 1e-6
SIGMAS = (
    3.0,
    0.3,
    30.0,
)  # of objective perturbation: from rows that are told apart at once to rows that hardly move it
CLIPS = {"squared": 0.5, "logistic": 0.3, "poisson": 1.0}


def _data(kind: str, n: int) -> dp.Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, D)) / np.sqrt(D)
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    score = X @ rng.normal(size=D)
    if kind == "binary":
        return dp.Dataset.from_arrays(X, np.where(rng.random(n) < 1 / (1 + np.exp(-3 * score)), 1.0, -1.0))
    if kind == "count":
        return dp.Dataset.from_arrays(X, np.minimum(rng.poisson(np.exp(0.5 * score)), 5).astype(float))
    return dp.Dataset.from_arrays(X, np.clip(0.3 * score + 0.3 * rng.normal(size=n), -1, 1))


def _seconds(dataset: dp.Dataset, mechanism: GlmRelease) -> tuple[float, float]:
    """Elapsed, and of processor time."""
    started = time.perf_counter(), time.process_time()
    dp.individual_privacy(dataset, mechanism, DELTA)
    return time.perf_counter() - started[0], time.process_time() - started[1]


def run(n: int = N) -> list[str]:
    """Seconds elapsed and of processor time, and the ratios of the latter."""
    _, base = _seconds(_data("numeric", n), dp.PosteriorSampling(gamma=1.0, lam=1.0))
    lines = [f"{n:,} rows × {D}; linear regression, posterior sample: {base:.2f} s"]
    models = [(name, None) for name in LOSSES if name != "squared"] + list(CLIPS.items())
    for name, clip in models:
        dataset = _data(LOSSES[name].target.name, n)
        releases: dict[str, GlmRelease] = {
            "output": dp.OutputPerturbation(sigma=0.01, lam=1.0, loss=name, clip=clip),
            "posterior": dp.PosteriorSampling(gamma=1.0, lam=1.0, loss=name, clip=clip),
        }
        for sigma in SIGMAS:
            releases[f"objective at σ = {sigma:g}"] = dp.ObjectivePerturbation(
                sigma=sigma, lam=1.0, loss=name, clip=clip
            )
        seconds = {release: _seconds(dataset, mechanism) for release, mechanism in releases.items()}
        said = ", ".join(
            f"{release} {elapsed:.2f} s ({used:.2f} s, {used / base:.0f} ×)"
            for release, (elapsed, used) in seconds.items()
        )
        lines.append(f"{name}{f' clipped at {clip:g}' if clip else ''}: {said}")
    return lines
