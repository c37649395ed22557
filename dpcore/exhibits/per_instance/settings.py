"""Noise and penalty for the whole file: the share of rows below a chosen ε, and the accuracy of the released model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.errors import DPError
from dpcore.individual.analyses.accuracy import Accuracy, accuracy, target_unit
from dpcore.individual.exposure import analysis_of
from dpcore.mechanisms import RELEASES
from dpcore.mechanisms.releases import GlmRelease

NOISES = np.geomspace(0.03, 30.0, 13)
PENALTIES = np.geomspace(0.01, 100.0, 5)

# A setting brings nearly as many rows under the target as any other if its share is at most this much smaller than the
# largest share.
_NEARLY = 0.005
_TAIL, _BODY = 150, 150  # rows looked at: the most exposed ones, and evenly spaced ones of the others


@dataclass(frozen=True)
class SettingPoint:
    """One setting of a release: its share of rows with ε at most the target, and its accuracy."""

    mechanism: GlmRelease
    share: float
    accuracy: Accuracy


@dataclass(frozen=True)
class SettingSweep:
    """Settings of one mechanism, and the one in use.

    Parameters
    ----------
    target, delta : ε and δ
    points : settings from little to much noise, one penalty after another
    now : the setting in use
    sampled : whether the shares come from the most exposed rows and a sample of the others, and so are approximate
    """

    target: float
    delta: float
    points: tuple[SettingPoint, ...]
    now: SettingPoint
    sampled: bool = False

    def frontier(self) -> tuple[SettingPoint, ...]:
        """Settings for which no other is better in both share and accuracy, sorted by share."""
        found: list[SettingPoint] = []
        for point in sorted((*self.points, self.now), key=lambda point: (-point.share, point.accuracy.cost)):
            if not found or point.accuracy.cost < found[-1].accuracy.cost:
                found.append(point)
        return tuple(found[::-1])

    def best(self, share: float) -> SettingPoint | None:
        """The most accurate setting with at least this share of the rows under the target."""
        fitting = [point for point in (*self.points, self.now) if point.share >= share]
        return min(fitting, key=lambda point: point.accuracy.cost) if fitting else None


@dataclass(frozen=True)
class MechanismSweeps:
    """The same data, penalties and levels of noise under every mechanism.

    Parameters
    ----------
    sweeps : name of the mechanism → its settings; the mechanism in use is the first
    refused : name of a mechanism → why it has no settings
    """

    sweeps: Mapping[str, SettingSweep]
    refused: Mapping[str, str]

    @property
    def in_use(self) -> SettingSweep:
        """The sweep of the mechanism in use."""
        return next(iter(self.sweeps.values()))

    def place(self, name: str) -> int:
        """Place of a mechanism among all releases; it does not depend on the mechanism in use."""
        return list(RELEASES).index(self.sweeps[name].now.mechanism.release)

    @property
    def worth_choosing(self) -> tuple[SettingPoint, ...]:
        """Settings worth choosing from: the most accurate one of each mechanism, and the settings of all frontiers that
        cost at most as much as is needed to bring nearly as many rows under the target as any setting does.
        """
        frontiers = [sweep.frontier() for sweep in self.sweeps.values()]
        points = [point for frontier in frontiers for point in frontier]
        nearly = max(point.share for point in points) - _NEARLY
        needed = min(point.accuracy.cost for point in points if point.share >= nearly)
        first = [min(frontier, key=lambda point: point.accuracy.cost) for frontier in frontiers]
        return (*first, *(point for point in points if point.accuracy.cost <= needed))

    def best(self, share: float) -> dict[str, SettingPoint]:
        """The most accurate setting of each mechanism with at least this share of the rows under the target.

        Mechanisms without such a setting are left out. The most accurate setting comes first.
        """
        found = {name: sweep.best(share) for name, sweep in self.sweeps.items()}
        known = {name: point for name, point in found.items() if point is not None}
        return dict(sorted(known.items(), key=lambda item: item[1].accuracy.cost))


def sweep_mechanisms(
    dataset: Dataset,
    mechanism: GlmRelease,
    delta: float,
    target: float,
    progress: Callable[[str, float], None] = lambda name, share: None,
) -> MechanismSweeps:
    """`sweep_settings` of the release in use, and of the others around the same penalty and noise, for the same model.

    Parameters
    ----------
    dataset : the rows
    mechanism : the release in use
    delta : probability
    target : ε > 0, nats
    progress : called with the name of the mechanism and the share of all work that is done; it may raise to stop

    Raises
    ------
    ParameterError, DataError, UnsupportedError
        If the release in use cannot be analysed.
    """
    own = RELEASES[mechanism.release]
    model = {
        "loss": mechanism.loss, "clip": mechanism.clip, "domain": None if mechanism.is_linear else dataset.domain
    }  # fmt: skip
    entries = [own, *(entry for entry in RELEASES.values() if entry is not own)]
    sweeps: dict[str, SettingSweep] = {}
    refused: dict[str, str] = {}
    for done, entry in enumerate(entries):

        def part(share: float, name: str = entry.name, done: int = done) -> None:
            progress(name, (done + share) / len(entries))

        try:
            other = mechanism if entry is own else entry.at(mechanism.level, mechanism.lam, **model)
            sweeps[entry.name] = sweep_settings(dataset, other, delta, target, part)
        except DPError as error:
            if entry is own:
                raise
            refused[entry.name] = str(error)
    return MechanismSweeps(sweeps, refused)


def sweep_settings(
    dataset: Dataset,
    mechanism: GlmRelease,
    delta: float,
    target: float,
    progress: Callable[[float], None] = lambda share: None,
) -> SettingSweep:
    """Thirteen levels of noise at five penalties, around those of a release, on one data set.

    If there are more than 300 rows, the share is estimated: the 150 most exposed rows are counted, and 150 others
    represent the rest.

    Parameters
    ----------
    dataset : the rows
    mechanism : the release in use
    delta : probability
    target : ε > 0, nats
    progress : called with the share of the work that is done

    Raises
    ------
    ParameterError, DataError, UnsupportedError
    """
    target = validation.positive("target", target)
    log_delta = float(np.log(validation.open_probability("delta", delta)))
    unit, analysis = target_unit(dataset), analysis_of(mechanism)
    fit = analysis.fit(mechanism, dataset)
    exposures = analysis.of_rows(mechanism, dataset, fit)
    rows, weights = _stratified(exposures.epsilon(log_delta))
    under = ~exposures.take(rows).above(target, log_delta)
    price = accuracy(mechanism, fit, dataset.X, dataset.y, unit, beside=False)
    now, points = SettingPoint(mechanism, float(weights @ under), price), []
    penalties = PENALTIES if mechanism.lam > 0 else np.ones(1)
    steps = len(penalties) * NOISES.size
    for step, factor in enumerate(penalties):
        other = mechanism.with_penalty(mechanism.lam * float(factor))
        try:
            fit = analysis.fit(other, dataset)
            known = analysis.of_rows(other, dataset, fit).take(rows)
        except DPError:
            continue  # the penalty is too small for these rows
        above = np.arange(rows.size)
        # Noise increases, so a row that is under the target once remains so and need not be looked at again.
        for k, noise in enumerate(NOISES):
            progress((step * NOISES.size + k) / steps)
            if above.size:
                above = above[known.take(above).with_noise(float(noise)).above(target, log_delta)]
            share = max(float(1 - weights[above].sum()), 0.0) if above.size else 1.0
            changed = other.with_noise(float(noise))
            worth = accuracy(changed, fit, dataset.X, dataset.y, unit, beside=False)
            points.append(SettingPoint(changed, share, worth))
    return SettingSweep(target, delta, tuple(points), now, sampled=rows.size < dataset.n_samples)


def _stratified(epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that are looked at, and the share of all rows that each of them represents."""
    order = np.argsort(-epsilon, kind="stable")
    if epsilon.size <= _TAIL + _BODY:
        return order, np.full(epsilon.size, 1 / epsilon.size)
    body = order[np.linspace(_TAIL, epsilon.size - 1, _BODY).astype(np.intp)]
    weights = np.append(np.ones(_TAIL), np.full(_BODY, (epsilon.size - _TAIL) / _BODY)) / epsilon.size
    return np.append(order[:_TAIL], body), weights
