"""Error bars of rows against integrals that share no code with `dpcore`.

A case is one row of a small data set under one release. With ε ± bar the answer, δ(ε + bar) ≤ δ ≤ δ(ε − bar) must hold of the
larger of both directions; where the answer is that ε is beyond the largest looked at, δ there must be above δ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import dpcore as dp
from dpcore.individual.exact.found import NO_PRIVACY
from tests.individual.exact.quadrature import Plane, Setting
from tests.oracles import LOSSES, gaussian_log_delta

TOLERANCE = 1e-3
FARTHEST = 1e4  # ε of the squared loss, which has a closed form; the oracle's e^ε overflows soon after
SLACK = 2e-5  # of log δ, beside what the oracle finds of itself
PLAIN = {"lipschitz": 9.0, "smoothness": 9.0}


@dataclass(frozen=True)
class Case:
    """One row under one release.

    Parameters
    ----------
    kind : "objective", "posterior" or "output"
    noise : σ or γ
    embedded : into how many dimensions the data are turned, which changes nothing of the truth
    """

    kind: str
    loss: str
    X: np.ndarray
    y: np.ndarray
    row: int
    lam: float
    noise: float
    clip: float | None
    delta: float
    embedded: int

    @classmethod
    def drawn(cls, features: int, rng: np.random.Generator, kind: str | None = None, embedded: int = 0) -> Case:
        """Any row of a data set on a line; in a plane the most exposed one, at δ from 1e-9 to 1e-3."""
        loss = str(rng.choice(list(LOSSES)))
        n = int(np.round(np.exp(rng.uniform(0, np.log(50)))))
        X = rng.normal(size=(n, features))
        X *= (rng.uniform(0.1, 1, size=n) / np.linalg.norm(X, axis=1))[:, None]
        margin = X @ rng.normal(size=features) * 2
        y = margin + rng.standard_t(3, size=n)
        if loss in ("logistic", "smoothed_hinge"):
            y = np.where(y > 0, 1.0, -1.0)
        if loss == "poisson":
            y = rng.poisson(np.exp(np.minimum(margin, 2.0))) * 1.0
        lam, noise, delta = (float(10 ** rng.uniform(*ends)) for ends in ((-3, 1.5), (-1, 2), (-12, -1)))
        clip = float(10 ** rng.uniform(-1.3, 0.5)) if rng.random() < 0.4 else None
        drawn = str(rng.choice(["objective", "posterior", "output"], p=[0.6, 0.25, 0.15]))
        kind = drawn if kind is None else kind
        if kind == "posterior":
            noise = 0.3 / noise
        case = cls(kind, loss, X, y, int(rng.integers(n)), lam, noise, clip, delta, embedded)
        return replace(case, delta=delta**0.5 / 1e3).exposed() if features == 2 else case

    @classmethod
    def of_kinks(cls, rng: np.random.Generator, embedded: int = 0) -> Case:
        """A short row among long ones in a plane, whose losses bend over short ways that the noise passes in one step."""
        n = int(rng.integers(4, 30))
        X = rng.normal(size=(n, 2))
        X *= (np.append(rng.uniform(0.1, 0.4), rng.uniform(0.7, 1, size=n - 1)) / np.linalg.norm(X, axis=1))[:, None]
        loss = str(rng.choice(["huber", "smoothed_hinge", "squared", "pseudo_huber"]))
        lam, noise, delta = (float(10 ** rng.uniform(*ends)) for ends in ((-1.5, 0.5), (-0.5, 1.5), (-9, -3)))
        y = rng.normal(size=n) * rng.uniform(0.3, 1) * noise / lam / n
        y = np.where(y > 0, 1.0, -1.0) if loss == "smoothed_hinge" else y
        clip = float(10 ** rng.uniform(-1.3, 0))
        return cls("objective", loss, X, y, 0, lam, noise, clip, delta, embedded)

    def exposed(self) -> Case:
        """The same of the most exposed row, by the expansion."""
        result = dp.individual_privacy(dp.Dataset.from_arrays(self.X, self.y), self.release, self.delta)
        return replace(self, row=int(result.most_exposed(1)[0]))

    @property
    def release(self):
        model = {"lam": self.lam, "loss": self.loss, "clip": self.clip}
        if self.kind == "objective":
            return dp.ObjectivePerturbation(sigma=self.noise, **model, **PLAIN)
        if self.kind == "posterior":
            return dp.PosteriorSampling(gamma=self.noise, **model)
        return dp.OutputPerturbation(sigma=self.noise, **model)

    def answer(self):
        """ε, its bar, and the expansion."""
        X = self.X
        if self.embedded:
            turn = np.linalg.qr(np.random.default_rng(self.embedded).normal(size=(self.embedded, self.embedded)))[0]
            X = X @ turn[:, : X.shape[1]].T
        result = dp.individual_privacy(dp.Dataset.from_arrays(X, self.y), self.release, self.delta)
        found = result.exact(self.row, TOLERANCE)
        return float(found.epsilon[0]), float(found.error[0]), float(found.expansion[0])

    def truth(self):
        """log δ(ε), the larger of both directions, and its accuracy, of each of several ε, as a function of them."""
        noise = {"gamma": self.noise} if self.kind == "posterior" else {"sigma": self.noise}
        setting = Setting(self.loss, self.X, self.y, self.lam, self.clip, self.row, **noise)
        if self.kind == "output":
            shift = np.linalg.norm(setting.minimiser(True) - setting.minimiser(False)) / self.noise
            if shift == 0:
                return lambda *epsilons: [(-np.inf, 0.0) for _ in epsilons]
            return lambda *epsilons: [(float(gaussian_log_delta(epsilon, 1.0, shift)), 1e-9) for epsilon in epsilons]
        return lambda *epsilons: self._of_both(setting, epsilons)

    def _of_both(self, setting, epsilons):
        log_delta = np.log(self.delta)
        if setting.size == 2 and self.kind == "objective":
            return list(zip(*Plane(setting, log_delta).log_deltas(epsilons), strict=True))
        return [max(setting.log_delta(epsilon, log_delta)) for epsilon in epsilons]


def verdict(case: Case) -> tuple[str, str]:
    """What became of a case in a word, and what there is to say about it."""
    log_delta = np.log(case.delta)
    try:
        epsilon, bar, expansion = case.answer()
    except dp.UnsupportedError as error:
        if "no privacy" not in str(error):
            return "refused", str(error)
        there = case.truth()(NO_PRIVACY)[0][0]
        word = "beyond the oracle" if np.isnan(there) else "none left" if there > log_delta else "outside"
        return word, str(error)
    said = f"{epsilon:.6g} ± {bar:.2g}, expansion {expansion:.4g}"
    if epsilon > FARTHEST:
        return "beyond the oracle", said
    (above, off), (below, near) = case.truth()(epsilon + bar, max(epsilon - bar, 0.0))
    if above > log_delta + SLACK + 3 * off:
        return "outside", f"{said}; log δ at the upper end is {above - log_delta:.2g} above (± {off:.1g})"
    if epsilon > bar and below < log_delta - SLACK - 3 * near:
        return "outside", f"{said}; log δ at the lower end is {log_delta - below:.2g} below (± {near:.1g})"
    return "wide" if bar > max(TOLERANCE, 0.01 * epsilon) else "inside", said


def cases(lines: int, planes: int, kinks: int, seed: int, kind: str) -> Iterator[Case]:
    """So many cases in one dimension, in two, and in two made of kinks."""
    for features, number in ((1, lines), (2, planes), (3, kinks)):
        for index in range(number):
            rng = np.random.default_rng([seed, features, index])
            yield Case.of_kinks(rng) if features == 3 else Case.drawn(features, rng, kind)
