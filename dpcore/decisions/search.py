"""Which release meets an answer best: mechanism, penalty and noise, each at a place where a slider can stand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.decisions.answers import Answers
from dpcore.decisions.trivial import trivial_score
from dpcore.errors import DPError, UnsupportedError
from dpcore.glm.losses import find
from dpcore.individual.analyses.accuracy import Accuracy, accuracy
from dpcore.individual.exposure import Exposures, analysis_of, part_of
from dpcore.individual.fit.leverage import Leverage
from dpcore.mechanisms import RELEASES
from dpcore.mechanisms.releases import GlmRelease, ReleaseEntry
from dpcore.numerics import round_values

TRIED_PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
# Factors by which the best of these penalties is changed next. With more of them, the noise is a little smaller.
_NEARBY = (0.3, 3.0)
# _GIVEN_UP: share of what the model gains over knowing nothing that is given up for a smaller guaranteed ε. _ALIKE:
# settings whose loss is larger by at most this share are alike. With either doubled, more accuracy is given up.
_GIVEN_UP, _ALIKE = 0.1, 0.01
# Up to this many rows, all are followed while the noise changes. Doubled, small files take twice as long.
_FOLLOW_ALL = 5_000
# Of more rows, those of the largest leverage, residual and gradient, so many of each. Doubled, the noise that is found
# at first is less often too small, which is noticed and corrected later.
_FOLLOWED = 100


@dataclass(frozen=True, eq=False)
class EditedFile:
    """A data set made of an edited file, and the rows of the file as it is, on which every release is judged.

    Parameters
    ----------
    dataset : of the edited file
    groups : positions in it of the rows of each person with several
    X, y : rows of the file as it is, encoded by the rules of `dataset`; (n_rows, n_features), (n_rows,)
    unit : how many units of the file one unit of y is
    others : positions in X of the rows that are not among the most exposed ones
    places : position in the file as it is of every row of `dataset`
    """

    dataset: Dataset
    groups: tuple[np.ndarray, ...]
    X: np.ndarray
    y: np.ndarray
    unit: float
    others: np.ndarray
    places: np.ndarray

    def score(self, mechanism: GlmRelease, fit: Leverage, rows: Any = slice(None)) -> Accuracy:
        """The expected score of a release on some of the rows."""
        return accuracy(mechanism, fit, self.X[rows], self.y[rows], self.unit, beside=False)

    def followed(self, fit: Leverage) -> tuple[np.ndarray, np.ndarray]:
        """Positions of rows that may have the largest ε, and a number for the person of each."""
        count = self.dataset.n_samples
        owner = np.arange(count)
        for rows in self.groups:
            owner[rows] = rows[0]
        if count <= _FOLLOW_ALL:
            return np.arange(count), owner
        residual, lever = np.abs(fit.loo_residual), np.nan_to_num(fit.out_of_sample)
        pull = residual * np.sqrt(lever)
        top = np.unique(np.concatenate([np.argpartition(-by, _FOLLOWED)[:_FOLLOWED] for by in (residual, lever, pull)]))
        rows = np.flatnonzero(np.isin(owner, owner[top]))
        return rows, np.unique(owner[rows], return_inverse=True)[1]


@dataclass(frozen=True)
class ReleaseSetting:
    """A release, the largest ε (nats, of a person about the sum of their rows), and what it loses; smaller is better."""

    mechanism: GlmRelease
    largest: float
    loss: float

    @property
    def entry(self) -> ReleaseEntry:
        """The kind of release."""
        return RELEASES[self.mechanism.release]


def lost(score: Accuracy) -> float:
    """What a score leaves: the error, or 1 minus a share."""
    return 1.0 - score.value if score.higher_is_better else score.value


def settings_meeting(
    trial: EditedFile,
    answers: Answers,
    model: Mapping[str, Any],
    progress: Callable[[float], None] = lambda share: None,
) -> list[ReleaseSetting]:
    """Settings that meet the answer, the best first; with a guarantee for every record, if any release has one.

    Parameters
    ----------
    trial, answers : the data, and what is asked for
    model : loss, clip and domain of the release
    progress : called with the share of the work that is done; it may raise to stop

    Raises
    ------
    UnsupportedError
        If no setting that is tried meets the answer.
    """
    safe = [entry for entry in RELEASES.values() if _has_guarantee(entry, trial.dataset, model)]
    refused: list[str] = []
    for entries in (safe, [entry for entry in RELEASES.values() if entry not in safe]):
        found = [
            one
            for k, entry in enumerate(entries)
            for one in at_penalties(
                trial, answers, entry, model, TRIED_PENALTIES, refused, part_of(progress, k, len(entries))
            )
        ]
        if found:
            first = min(found, key=lambda one: aim(one, answers))
            near = [float(f"{first.mechanism.lam * factor:.1e}") for factor in _NEARBY]
            near = [lam for lam in near if lam <= TRIED_PENALTIES[-1]]
            found += at_penalties(trial, answers, first.entry, model, near, refused)
            return sorted(found, key=lambda one: aim(one, answers))
    raise UnsupportedError(_nothing(answers, refused))


def at_penalties(
    trial: EditedFile,
    answers: Answers,
    entry: ReleaseEntry,
    model: Mapping[str, Any],
    penalties: Sequence[float],
    refused: list[str],
    progress: Callable[[float], None] = lambda share: None,
) -> list[ReleaseSetting]:
    """The settings of one release that meet the answer, at most one for each penalty.

    Parameters
    ----------
    trial, answers, entry, model : as in `setting_at`
    penalties : values of λ
    refused : reasons why a penalty has none are added to it
    progress : called with the share of the work that is done
    """
    found = []
    for k, lam in enumerate(penalties):
        progress(k / len(penalties))
        try:
            found.append(setting_at(trial, answers, entry, lam, model))
        except DPError as error:
            refused.append(str(error))
    return found


def well_guaranteed(found: Sequence[ReleaseSetting], trial: EditedFile, answers: Answers) -> ReleaseSetting:
    """Of the settings nearly as good as the first, the one with the smallest guaranteed ε."""
    best = found[0]
    kept = _GIVEN_UP * best.largest
    if answers.accuracy is None:
        kept = max(_GIVEN_UP * (_knowing_nothing(trial, best.mechanism) - best.loss), _ALIKE * best.loss)
    alike = [one for one in found if aim(one, answers) <= aim(best, answers) + kept]
    return min(alike, key=lambda one: guaranteed_epsilon(one.mechanism, trial.dataset, answers.delta))


def _knowing_nothing(trial: EditedFile, mechanism: GlmRelease) -> float:
    """What the trivial model loses on the rows that are not the most exposed ones."""
    score, best = trivial_score(mechanism.loss, trial.y[trial.others], trial.unit), find(mechanism.loss).scores[0]
    return 1.0 - score if best.higher_is_better else score


def guaranteed_epsilon(mechanism: GlmRelease, dataset: Dataset, delta: float) -> float:
    """ε for any record of the domain in any data set of this size, nats; ∞ if there is no guarantee."""
    if dataset.domain is None:
        return np.inf
    try:
        return float(mechanism.worst_case(dataset.domain, dataset.n_samples).epsilon(delta))
    except DPError:
        return np.inf


def _has_guarantee(entry: ReleaseEntry, dataset: Dataset, model: Mapping[str, Any]) -> bool:
    values = {part.name: part.default for part in entry.parameters}
    with suppress(DPError):
        if dataset.domain is not None:
            entry.build(**values, **model).worst_case(dataset.domain, dataset.n_samples)
            return True
    return False


def aim(setting: ReleaseSetting, answers: Answers) -> float:
    """What is to be small: the loss under an ε, the largest ε at an accuracy."""
    return setting.loss if answers.accuracy is None else setting.largest


def levels(entry: ReleaseEntry) -> list[float]:
    """The places of the slider of the noise, from little to much noise."""
    found = round_values(entry.noise.low, entry.noise.high)
    return found if entry.noise.noise > 0 else found[::-1]


def setting_at(
    trial: EditedFile, answers: Answers, entry: ReleaseEntry, lam: float, model: Mapping[str, Any]
) -> ReleaseSetting:
    """The least noise that brings everyone below ε, or the most noise that leaves the accuracy, at one penalty.

    Parameters
    ----------
    trial, answers : the data, and what is asked for
    entry, lam : the release and its penalty
    model : loss, clip and domain of the release

    Raises
    ------
    DPError
        If no level of noise meets the answer, or nothing can be fitted at this penalty.
    """
    places = levels(entry)
    first = entry.build(**{entry.noise.name: places[0], "lam": lam}, **model)
    analysis = analysis_of(first)
    fit = analysis.fit(first, trial.dataset)
    rows, owner = trial.followed(fit)
    some, log_delta = analysis.of_rows(first, trial.dataset, fit).take(rows), float(np.log(answers.delta))

    def at(place: int) -> Exposures:
        return some.with_noise(first.at_noise(places[place]).level / first.level)

    def largest(place: int) -> float:
        return float(np.bincount(owner, at(place).epsilon(log_delta)).max())

    if answers.epsilon is not None:
        target = answers.epsilon
        place = bisect_left(
            range(len(places)), True,
            key=lambda one: largest(one) <= target if trial.groups else not at(one).above(target, log_delta).any(),
        )  # fmt: skip
        if place == len(places):
            raise UnsupportedError(f"{entry.name} leaves somebody at ε = {largest(place - 1):.3g}")
        mechanism = first.at_noise(places[place])
        return ReleaseSetting(mechanism, largest(place), lost(trial.score(mechanism, fit, trial.others)))
    place = bisect_left(
        range(len(places)), True, key=lambda one: not reaches(trial.score(first.at_noise(places[one]), fit), answers)
    )
    if place == 0:
        raise UnsupportedError(f"{entry.name} reaches {trial.score(first, fit).value:.3g}")
    mechanism = first.at_noise(places[place - 1])
    return ReleaseSetting(mechanism, largest(place - 1), lost(trial.score(mechanism, fit)))


def reaches(score: Accuracy, answers: Answers) -> bool:
    """Whether a score is at least as good as the one asked for."""
    if answers.accuracy is None:
        return True
    return score.value >= answers.accuracy if score.higher_is_better else score.value <= answers.accuracy


def _nothing(answers: Answers, refused: list[str]) -> str:
    asked = f"ε ≤ {answers.epsilon:g} for everyone" if answers.accuracy is None else f"a score of {answers.accuracy:g}"
    reasons = "; ".join(dict.fromkeys(refused[-3:]))
    return f"no release tried gives {asked} ({reasons}): ask for less, or leave the most exposed rows out"
