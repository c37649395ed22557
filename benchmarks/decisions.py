"""How well `dp.recommend` decides, on generated data of many shapes: `python -m benchmarks.decisions docs/decisions.md`.

The settings are drawn from one seed, none was used to make the rule, and none is left out. Much of the data is not as the
rule assumes: columns of uneven scale, rows of all lengths, heavy tails, labels by another link.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import dpcore as dp
from dpcore.decisions.difficulty import Difficulty, base_score
from dpcore.decisions.made import makers
from dpcore.decisions.recommend import Recommendation
from dpcore.glm import Loss
from dpcore.learners import Learner, NonPrivate

SETTINGS, SEED = 44, 20260
# Releases of each learner: at least so many data sets with one release each, and more until the standard error of the mean
# is below `_ERROR` or there are `_MOST`. With half the error the table takes four times as long.
_LEAST, _MOST, _ERROR = 16, 64, 1e-3
_TEST, _REFERENCE = 10_000, 20_000  # rows to measure on, and to find the best linear model with
# Ratio of the budgets at which is measured, from the predicted one on, and most steps away from it.
_STEP, _AWAY = 1.4, 3
_LOSSES = ("logistic", "logistic", "logistic", "smoothed_hinge", "squared", "huber", "pseudo_huber", "poisson")
_SHAPES = ("as assumed", "as assumed", "uneven columns", "all lengths", "heavy tails", "other link")
_HERE = "<!-- table -->"
ENOUGH, FACTOR = 0.003, 1.5  # a recommendation may lose so much, a predicted ε be off by so much


@dataclass(frozen=True)
class Setting:
    """One question, and the data it is answered for."""

    loss: str
    shape: str
    n: int
    d: int
    epsilon: float
    reach: float
    strength: float
    length: float
    share: float
    seed: int

    @property
    def facts(self) -> dp.PublicFacts:
        """What is public."""
        bound = 10.0 if self.loss == "poisson" else 1.0
        return dp.PublicFacts(n_samples=self.n, n_features=self.d, domain=dp.Domain(target_bound=bound))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Rows and targets; the coefficients are the same for every draw of a setting."""
        d = self.d
        theta = np.random.default_rng([self.seed, 1]).standard_normal(d)
        X = rng.standard_t(4, (n, d)) if self.shape == "heavy tails" else rng.standard_normal((n, d))
        scale = 1 / np.sqrt(np.arange(1, d + 1)) if self.shape == "uneven columns" else np.ones(d)
        X *= scale * np.sqrt(d / np.square(scale).sum())
        lengths = np.linalg.norm(X, axis=1)
        signal = X @ theta / np.linalg.norm(theta * scale * np.sqrt(d / np.square(scale).sum()))
        if self.shape == "all lengths":
            stretch = rng.uniform(0.3, 1.0, n) * np.sqrt(d) / lengths
            X, signal = X * stretch[:, None], signal * stretch
            X *= self.length / np.sqrt(d)
        else:
            X *= self.length / lengths[:, None]
        return X * (1 - 1e-12), self._targets(signal, rng)

    def _targets(self, signal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        odd = self.shape == "other link"
        if dp.LOSSES[self.loss].target.labels:
            noise = rng.standard_normal(signal.size) if odd else rng.logistic(size=signal.size)
            return np.where(self.strength * signal + noise > 0, 1.0, -1.0)
        if self.loss == "poisson":
            mean = np.exp(np.clip(0.15 * self.strength * (signal + 0.3 * odd * (signal**2 - 1)), -9, 3))
            return np.minimum(rng.poisson(mean), 10).astype(float)
        noise = rng.laplace(size=signal.size) if odd else rng.standard_normal(signal.size)
        return np.clip(self.share * (signal + 1.5 / self.strength * noise), -1, 1)


def settings(count: int = SETTINGS, seed: int = SEED) -> list[Setting]:
    """Settings of varied loss, shape, n, d, ε, scale and difficulty."""
    found = []
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        d = int(np.exp(rng.uniform(np.log(3), np.log(40))))
        n = int(np.exp(rng.uniform(np.log(max(300, 15 * d)), np.log(4000))))
        found.append(
            Setting(
                _LOSSES[i % len(_LOSSES)], str(rng.choice(_SHAPES)), n, d, float(f"{np.exp(rng.uniform(np.log(0.1), np.log(8))):.2g}"),
                float(rng.uniform(0.6, 0.95)), float(np.exp(rng.uniform(np.log(1), np.log(8)))), float(rng.uniform(0.4, 1.0)),
                float(rng.uniform(0.15, 0.35)), i,
            )
        )  # fmt: skip
    return found


class Measure:
    """Mean scores of learners on draws of one setting, always the same ones."""

    def __init__(self, setting: Setting, most: int) -> None:
        self.setting, self.most = setting, most
        self.loss: Loss = dp.LOSSES[setting.loss]
        self.test = setting.draw(_TEST, np.random.default_rng([setting.seed, 2]))
        self.base = 0.0 if self.loss.target.labels else base_score(self.loss, self.test[1])
        self.data: list[dp.Dataset] = []

    def score(self, theta: np.ndarray) -> float:
        """Accuracy, or share explained."""
        X, y = self.test
        with np.errstate(over="ignore", invalid="ignore"):
            own = float(self.loss.scores[0].measure((X @ theta)[None], y)[0])
        return own if self.loss.target.labels else max(1 - own / self.base, -10.0)

    def mean(self, learner: Learner) -> float:
        """Of as many releases as its error needs, on one data set each."""
        found: list[float] = []
        while len(found) < self.most:
            i = len(found)
            if i == len(self.data):
                X, y = self.setting.draw(self.setting.n, np.random.default_rng([self.setting.seed, 3, i]))
                self.data.append(dp.Dataset.from_arrays(X, y, domain=self.setting.facts.domain))
            found.append(self.score(learner.fit(self.data[i], np.random.default_rng([self.setting.seed, 4, i])).theta))
            if len(found) >= min(_LEAST, self.most) and np.std(found) <= _ERROR * np.sqrt(len(found)):
                break
        return float(np.mean(found))

    def difficulty(self) -> Difficulty:
        """What somebody who knows such data would say: what the best linear model reaches, how long rows are."""
        X, y = self.setting.draw(_REFERENCE, np.random.default_rng([self.setting.seed, 5]))
        free = NonPrivate(self.loss).fit(dp.Dataset.from_arrays(X, y, domain=self.setting.facts.domain), 0).theta
        best = float(np.clip(self.score(free), 0.51 if self.loss.target.labels else 0.02, 0.99))
        deviation = float(y.std()) if self.loss.target.name == "numeric" else 1 / 3
        length = float(np.sqrt(np.square(X).sum(axis=1).mean()))
        return Difficulty(round(best, 3), round(length, 2), round(min(deviation, 1.0), 2))


@dataclass(frozen=True)
class Outcome:
    """What was recommended and predicted in one setting, beside what was measured."""

    setting: Setting
    told: Difficulty
    recommended: str
    predicted: float
    measured: float
    best: str
    lost: float
    lost_untold: float
    target: float
    epsilon: float
    epsilon_measured: float

    @property
    def ratio(self) -> float:
        """Predicted over measured ε."""
        return self.epsilon / self.epsilon_measured

    def row(self) -> str:
        """A line of the table."""
        one = self.setting
        close = "yes" if 1 / FACTOR <= self.ratio <= FACTOR else "**no**"
        cells = (
            one.loss, one.shape, one.n, one.d, f"{one.epsilon:g}", f"{self.told.best:.3f}", f"{self.told.row_share:.2f}",
            self.recommended, f"{self.predicted:.3f}", f"{self.measured:.3f}", self.best,
            f"{100 * self.lost:.2f}" if self.lost <= ENOUGH else f"**{100 * self.lost:.2f}**", f"{100 * self.lost_untold:.2f}",
            f"{self.target:.3f}", f"{self.epsilon:.3g}", f"{self.epsilon_measured:.3g}", close,
        )  # fmt: skip
        return f"| {' | '.join(map(str, cells))} |"


def outcome(setting: Setting, most: int = _MOST) -> Outcome:
    """Ask, then measure."""
    measure = Measure(setting, most)
    told = measure.difficulty()
    answer = dp.recommend(setting.facts, setting.loss, setting.epsilon, difficulty=told)
    untold = dp.recommend(setting.facts, setting.loss, setting.epsilon)
    found = {one.key: measure.mean(one.learner) for one in answer.ranking}
    first, best = answer.ranking[0], max(found, key=found.__getitem__)
    target = answer.constant + setting.reach * (answer.without_privacy - answer.constant)
    asked = dp.recommend(setting.facts, setting.loss, accuracy=target, difficulty=told)
    needed = _needed(measure, asked, target)
    return Outcome(
        setting, told, first.key, first.predicted, found[first.key], best, found[best] - found[first.key],
        found[best] - found[untold.ranking[0].key], target, asked.epsilon, needed,
    )  # fmt: skip


def _needed(measure: Measure, asked: Recommendation, target: float) -> float:
    """ε at which the recommended learner was measured to reach the target, between the two budgets tried around it."""
    key, made = asked.ranking[0].key, measure.setting

    def mean(step: int) -> float:
        budget = asked.epsilon * _STEP**step
        return measure.mean(makers(measure.loss, made.facts, budget, asked.delta)[key]())

    at, found = 0, mean(0)
    way = 1 if found < target else -1
    while abs(at) < _AWAY:
        before, found, at = found, mean(at + way), at + way
        if (found < target) != (way > 0):
            part = (target - before) / (found - before)
            return float(asked.epsilon * _STEP ** (at - way + way * part))
    return float(asked.epsilon * _STEP ** (at + way))


def outcomes(chosen: list[Setting], most: int = _MOST) -> Iterator[Outcome]:
    """One after another."""
    for setting in chosen:
        yield outcome(setting, most)


def summary(found: list[Outcome]) -> list[str]:
    """How often the recommendation was good, and the predicted ε near."""
    near = [1 / FACTOR <= one.ratio <= FACTOR for one in found]
    assumed = [ok for one, ok in zip(found, near, strict=True) if one.setting.shape == "as assumed"]
    said = [
        f"Within {100 * ENOUGH:.1f} percentage points of the best learner tried: {sum(one.lost <= ENOUGH for one in found)} of "
        f"{len(found)}; with no difficulty told: {sum(one.lost_untold <= ENOUGH for one in found)}.",
        f"Predicted ε within × {FACTOR} of the measured one: {sum(near)} of {len(found)}.",
    ]
    if assumed:
        said.append(f"The same for data as the rule assumes: {sum(assumed)} of {len(assumed)}.")
    return said


HEAD = (
    "| loss | data | n | d | ε | best | rows/R | recommended | predicted | measured | best tried | lost, pp | lost untold, pp | target "
    "| ε predicted | ε measured | within × 1.5 |\n" + "|---" * 17 + "|"
)


def run(count: int = 4, most: int = 12) -> list[str]:
    """Seconds of an answer, and a few settings with few releases."""
    found = list(outcomes(settings(count), most))
    return [*summary(found), *(one.row() for one in found)]


def table(found: list[Outcome]) -> str:
    """The summary, and a line for each setting."""
    return "\n".join([*(f"- {line}" for line in summary(found)), "", HEAD, *(one.row() for one in found)])


def write(path: Path) -> None:
    """The whole table, as it grows, below what the file says about it."""
    about, found = path.read_text(encoding="utf-8").split(_HERE)[0], []
    for one in outcomes(settings()):
        found.append(one)
        path.write_text(f"{about}{_HERE}\n\n{table(found)}\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
