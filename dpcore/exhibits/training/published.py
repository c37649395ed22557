"""Figure 2 and Tables 1 and 2 of Redberg, Koskela and Wang (2023): printed accuracies, the settings behind them, verdicts."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dpcore.data import Domain
from dpcore.exhibits.training.study import Series
from dpcore.learners import AMP, DPSGD, PublicFacts
from dpcore.records import from_table, tables

_DELTA = 1e-5
_TRIALS = 10  # trials of which every printed number is the mean
_LEVEL = 1.96  # two means agree if they differ by at most so many standard errors of their difference
EPSILONS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
TABLE_EPSILONS = (0.1, 1.0, 8.0)
CLIP, TAU, SIGMA_OUT, EPOCHS, BATCH = math.sqrt(2), 0.01, 0.15, 60, 256


def algorithm_1(loss: str = "logistic", epsilon: float = 1.0, delta: float = _DELTA) -> AMP:
    """Algorithm 1 as in the source: σ = 1.3 σ_G and the smallest λ by Theorem 3.2, C = √2, τ = 0.01, σ_out = 0.15.

    Parameters
    ----------
    loss : name in `LOSSES`
    epsilon, delta : target, nats and probability
    """
    return AMP(loss, epsilon, delta, rule="paper", bound="renyi", clip=CLIP, tau=TAU, sigma_out=SIGMA_OUT)


def published_settings(epsilons: Iterable[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """σ and λ of `algorithm_1` at each ε, for rows of norm √2 as in the source; nothing else about the data matters."""
    facts = PublicFacts(2, 1, Domain(row_norm=CLIP))
    plans = [algorithm_1(epsilon=epsilon).plan(facts).parameters for epsilon in epsilons]
    return tuple(plan["sigma"] for plan in plans), tuple(plan["lam"] for plan in plans)


def dp_sgd(tuning: str, loss: str = "logistic", epochs: int = EPOCHS) -> DPSGD:
    """DP-SGD as in the source: batches of 256, ten rates from 10⁻⁸ to 10⁻¹, Rényi divergences, C = √2 for its rows.

    Parameters
    ----------
    tuning : "dishonest" or "honest"
    loss : name in `LOSSES`
    epochs : passes over the rows, 60 in the source
    """
    return DPSGD(loss, 1.0, epochs=epochs, batch=BATCH, tuning=tuning, accountant="renyi")


@dataclass(frozen=True)
class PublishedTable:
    """Test accuracy in per cent at `TABLE_EPSILONS`, by learner.

    Parameters
    ----------
    title : title in the source
    data : name of the function in `dpcore.data.samples.published` that makes it
    accuracy : mapping of learner to three numbers
    remarks : what a reader should know before comparing, as sentences
    """

    title: str
    data: str
    accuracy: dict[str, list[float]]
    remarks: tuple[str, ...]

    @property
    def shares(self) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
        """ε and accuracy as a share, by learner."""
        return {name: (TABLE_EPSILONS, tuple(one / 100 for one in values)) for name, values in self.accuracy.items()}


@dataclass(frozen=True)
class Comparison:
    """A printed mean, and the mean found here with the source's settings.

    Parameters
    ----------
    learner, epsilon : learner and ε of both means
    printed, found : scores
    tolerance : 1.96 standard errors of the difference between a mean over ten trials and the one found
    """

    learner: str
    epsilon: float
    printed: float
    found: float
    tolerance: float

    @property
    def verdict(self) -> str:
        """ "reproduced", or "printed higher" or "printed lower" if the printed mean is too far above or below."""
        if abs(self.printed - self.found) <= self.tolerance:
            return "reproduced"
        return "printed higher" if self.printed > self.found else "printed lower"


def printed_beside(table: PublishedTable, series: Iterable[Series], names: Mapping[str, str]) -> list[Comparison]:
    """Compare printed accuracies with those of a study at the source's settings, where it has at least two splits.

    Parameters
    ----------
    table : the printed numbers
    series : series of the study
    names : printed name of a learner → its name in the study

    References: redberg-koskela-wang-2023 (Table 1, Table 2).
    """
    known = {entry.name: entry for entry in series if entry.score == "accuracy"}
    found = []
    for learner, values in table.accuracy.items():
        entry = known.get(names.get(learner, ""))
        if entry is None:
            continue
        for epsilon, printed in zip(TABLE_EPSILONS, values, strict=True):
            for at, mean, error, count in zip(
                entry.epsilon, entry.mean, entry.standard_error, entry.count, strict=True
            ):
                if at == epsilon and count > 1:
                    tolerance = _LEVEL * float(error) * math.sqrt(1 + count / _TRIALS)
                    found.append(Comparison(learner, epsilon, printed / 100, float(mean), tolerance))
    return found


_PATH = Path(__file__).with_suffix(".toml")
_FOUND = tables(_PATH, ("common", "table"))
TABLES = {
    key: from_table(
        PublishedTable, {**given, "remarks": [*_FOUND["common"], *given["remarks"]]}, f"{_PATH.name}, {key}"
    )
    for key, given in _FOUND["table"].items()
}
