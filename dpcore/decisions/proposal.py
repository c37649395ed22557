"""One release proposed for a file: settings are searched, edits of the most exposed rows tried, and all computed again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.origin import Origin
from dpcore.data.program import chosen_features
from dpcore.decisions import saying
from dpcore.decisions.answers import Answers
from dpcore.decisions.everyone import everyone, is_affordable
from dpcore.decisions.file_edits import TRY_MORE, FileEdit, column_edits, edited, leave_out, one_row_each, read_again
from dpcore.decisions.prices import Price
from dpcore.decisions.proposed import Proposal, Spread, groups_of
from dpcore.decisions.search import (
    TRIED_PENALTIES,
    EditedFile,
    ReleaseSetting,
    aim,
    at_penalties,
    guaranteed_epsilon,
    levels,
    settings_meeting,
    well_guaranteed,
)
from dpcore.decisions.trivial import trivial_score
from dpcore.errors import DataError, UnsupportedError, or_reason
from dpcore.glm.losses import LOSSES
from dpcore.individual.all_rows.assumptions import assumptions_of
from dpcore.individual.all_rows.exactly import exact_row
from dpcore.individual.analyses.accuracy import targets_in
from dpcore.individual.exposure import analysis_of
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.models import default_clip, models_for
from dpcore.individual.reasons import quantiles
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.mechanisms import RELEASES
from dpcore.mechanisms.releases import GlmRelease

# Most edits that are proposed. Doubled, a file with many outliers takes twice as long.
_MOST_EDITS = 4
# Edits are tried while the largest ε is at least so many times the 99 % quantile. Doubled, fewer files are edited.
_STANDS_OUT = 1.2
# Rows with an ε of _FAR_OUT times the quantile _BODY are also tried to be left out together. With the first doubled,
# fewer are; with the second at 1, none.
_FAR_OUT, _BODY = 2.0, 0.95
# An edit must lower what the release loses by this share, or at a given accuracy the largest ε by the second. Doubled,
# fewer edits are proposed.
_LEAST_GAIN, _LEAST_FALL = 0.02, 0.1
# The most exposed row of an expansion is computed without it if that takes about so many seconds at most. Doubled, the
# longest wait doubles.
_EXACT_EFFORT = 5.0
# Places of the slider by which the noise may turn out smaller for persons with several rows. Doubled, one more level is
# tried.
_QUIETER = 16


def propose(
    dataset: Dataset,
    answers: Answers,
    mechanism: GlmRelease | None = None,
    progress: Callable[[str, float], None] = lambda what, share: None,
) -> Proposal:
    """The release, and the edits of the file, that meet the answers at the least price.

    An edit is proposed only if it makes the release better for the other rows, or at a given accuracy ε smaller. What
    the proposal promises is computed as the re-run computes it: from the edited file, read again.

    Parameters
    ----------
    dataset : made of a file by `make_dataset` or `load_csv`
    answers : who may appear more than once, what the columns can be, and which ε or accuracy is wanted
    mechanism : the release in use, whose model is kept; by default a posterior sample with γ = λ = 1 of the model that
        suits the target
    progress : called with what is being done and the share done; an exception it raises stops the work

    Raises
    ------
    DataError
        If the data were not read from a file, or there is no such column of persons.
    UnsupportedError
        If no release that is tried meets the answers.
    """
    return _Work.begun(dataset, answers, mechanism, progress).proposal()


class _Settled(NamedTuple):
    """The release, ε of every row and of everyone, and of the most exposed row without the expansion, if known."""

    setting: ReleaseSetting
    result: IndividualPrivacy
    epsilon: np.ndarray
    surely: float | None


_Found = tuple[EditedFile, tuple[FileEdit, ...], ReleaseSetting]


@dataclass(frozen=True, eq=False)
class _Work:
    """A data set, the answers, the release in use, the options of `make_dataset`, and where progress is told."""

    dataset: Dataset
    origin: Origin
    answers: Answers
    now: GlmRelease
    reading: Mapping[str, Any]
    progress: Callable[[str, float], None]

    @classmethod
    def begun(
        cls,
        dataset: Dataset,
        answers: Answers,
        mechanism: GlmRelease | None,
        progress: Callable[[str, float], None],
    ) -> _Work:
        """The data set as the answers want it: with their ranges, and without the column of persons as a feature."""
        if dataset.origin is None:
            raise DataError("A proposal edits a file, and these data were not read from one: use load_csv.")
        reading = _reading(dataset, answers)
        origin = dataset.origin
        if answers.ranges or reading["features"] != chosen_features(dataset):
            dataset = make_dataset(origin.table, **reading)
            origin = dataset.origin or origin
        return cls(dataset, origin, answers, mechanism or _usual(dataset), reading, progress)

    def proposal(self) -> Proposal:
        """The proposal; without optional edits if the release is of no use with them either."""
        found, least = self._edited()
        prices, settled = self._priced(*found)
        if not prices[1].is_useful and found is not least:
            found = least
            prices, settled = self._priced(*found)
        (trial, edits, _), (setting, result, epsilon, surely) = found, settled
        no_guarantee = assumptions_of(result.dataset).no_guarantee
        worst = np.inf if no_guarantee else guaranteed_epsilon(setting.mechanism, trial.dataset, self.answers.delta)
        proposal = Proposal(
            self.answers, setting.mechanism, edits, Spread.of(self._before), Spread.of(epsilon), *prices,
            float(worst) if np.isfinite(worst) else None, (), self.reading, "≤" if trial.groups else result.method.sign,
        )  # fmt: skip
        counted = "" if is_affordable(self.dataset.n_samples, self._groups) else saying.ROWS_ALONE
        said = saying.sentences(proposal, result, no_guarantee, self._on_others(trial, edits, result), surely, counted)
        return replace(proposal, sentences=said)

    def _priced(
        self, trial: EditedFile, edits: tuple[FileEdit, ...], setting: ReleaseSetting
    ) -> tuple[tuple[Price, Price], _Settled]:
        """The scores on all rows and on the others, and the settled setting with everyone's ε."""
        self.progress("everyone's ε", 0.9)
        settled = self._settled(trial, setting)
        mechanism, result = settled.setting.mechanism, settled.result
        plain, base = self._unprotected, self._trial(())
        fit = analysis_of(plain).fit(plain, base.dataset)

        def price(rows: Any) -> Price:
            y, released = trial.y[rows], trial.score(mechanism, result.leverage, rows)
            trivial = trivial_score(mechanism.loss, y, trial.unit)
            return Price.of(released, base.score(plain, fit, rows), trivial, y.size)

        return (price(slice(None)), price(trial.others)), settled

    def _edited(self) -> tuple[_Found, _Found]:
        """The edits that make the release better, one after another, with the best setting; and the same without them."""
        edits: tuple[FileEdit, ...] = ()
        if not is_affordable(self.dataset.n_samples, self._groups):
            edits = (self._one_each(),)
        trial = self._trial(edits)
        found = settings_meeting(trial, self.answers, self._model, lambda share: self.progress("settings", 0.4 * share))
        first = trial, edits, well_guaranteed(found, trial, self.answers)
        setting = found[0]
        least = 1 - (_LEAST_GAIN if self.answers.accuracy is None else _LEAST_FALL)
        for done in range(_MOST_EDITS):
            tried = []
            for candidate in self._candidates(trial, setting, edits):
                self.progress("edits of the file", 0.4 + 0.4 * done / _MOST_EDITS)
                tried += [(aim(one[1], self.answers), candidate, one) for one in self._try(candidate, setting)]
            best = min(tried, key=lambda one: one[0], default=None)
            if best is None or best[0] > least * aim(setting, self.answers):
                break
            _, edits, (trial, setting) = best
        if edits == first[1]:
            return first, first
        again = settings_meeting(
            trial, self.answers, self._model, lambda share: self.progress("settings", 0.8 + 0.1 * share)
        )
        return (trial, edits, well_guaranteed(again, trial, self.answers)), first

    def _try(self, edits: tuple[FileEdit, ...], setting: ReleaseSetting) -> list[tuple[EditedFile, ReleaseSetting]]:
        """The same release on a file with other edits, at the same penalty; of few rows, at others too."""
        trial, _ = or_reason(lambda: self._trial(edits))
        if trial is None:
            return []
        penalties = (setting.mechanism.lam,) if trial.dataset.n_samples > TRY_MORE else TRIED_PENALTIES
        return [(trial, one) for one in at_penalties(trial, self.answers, setting.entry, self._model, penalties, [])]

    def _candidates(
        self, trial: EditedFile, setting: ReleaseSetting, edits: tuple[FileEdit, ...]
    ) -> Iterator[tuple[FileEdit, ...]]:
        """The edits so far with one more for the most exposed row, if it stands out."""
        result = individual_privacy(trial.dataset, setting.mechanism, self.answers.delta)
        if trial.groups:
            yield (*edits, self._one_each())
        elif result.epsilon.max() < _STANDS_OUT * float(result.quantiles(0.99)):
            return
        top = int(result.most_exposed(1)[0])
        number = int(trial.places[top]) + 1
        gone = {row for edit in edits if edit.text.startswith("leave out") for row in edit.rows}
        kept = tuple(edit for edit in edits if not edit.text.startswith("leave out"))
        yield (*kept, leave_out([*gone, number], "" if gone else self.origin.name(number - 1)))
        out = trial.places[np.flatnonzero(result.epsilon > _FAR_OUT * float(result.quantiles(_BODY)))]
        if 1 < out.size <= (1 - _BODY) * trial.dataset.n_samples:
            yield (*kept, leave_out([*gone, *(int(row) + 1 for row in out)]))
        found, _ = or_reason(lambda: list(column_edits(result, top)))
        for edit in found or ():
            if edit.text not in {one.text for one in edits}:
                yield (edit, *edits)

    def _one_each(self) -> FileEdit:
        rows = np.sort(np.concatenate([rows[1:] for rows in self._groups]))
        return one_row_each(self.answers.person, [int(row) + 1 for row in self.origin.rows(rows)])

    def _trial(self, edits: tuple[FileEdit, ...]) -> EditedFile:
        """The data set of the edited file, read again as a re-run reads it, and the rows on which it is judged."""
        table = self.origin.table
        again = read_again(table, edits)
        dataset = make_dataset(again, **self.reading)
        for name in dataset.encoder.features:
            if again.column(name).kind != table.column(name).kind:
                raise DataError(f"The edit makes another kind of column of {name!r}.")
        cells = edited(table.frame, [edit for edit in edits if not edit.rows]).iloc[self.origin.rows()]
        X, _ = dataset.encoder.encode(_known(cells, dataset))
        y, unit = targets_in(self.dataset, dataset.encoder.target_range)
        places = edited(table.frame, edits).index.to_numpy()[dataset.row_labels - 1]
        return EditedFile(dataset, groups_of(dataset, self.answers.person), X, y, unit, self._others, places)

    def _settled(self, trial: EditedFile, setting: ReleaseSetting) -> _Settled:
        """The setting with the noise that everyone's ε needs, computed as the re-run computes it."""
        places = levels(setting.entry)
        place = places.index(getattr(setting.mechanism, setting.entry.noise.name))
        known: dict[int, _Settled] = {}

        def meets(place: int) -> bool:
            mechanism = setting.mechanism.at_noise(places[place])
            result = individual_privacy(trial.dataset, mechanism, self.answers.delta)
            epsilon = everyone(result, trial.groups)
            surely = _exactly(result)
            known[place] = _Settled(replace(setting, mechanism=mechanism), result, epsilon, surely)
            return self.answers.epsilon is None or max(epsilon.max(), surely or 0.0) <= self.answers.epsilon

        if not meets(place):
            place = next((louder for louder in range(place + 1, len(places)) if meets(louder)), len(places))
        elif trial.groups and self.answers.epsilon is not None:  # the sum over the rows of a person was too cautious
            place = bisect_left(range(place), True, max(0, place - _QUIETER), key=meets)
        if place == len(places):
            raise UnsupportedError("somebody stays above ε under every level of noise tried: leave more rows out")
        return known[place]

    def _on_others(
        self, trial: EditedFile, edits: tuple[FileEdit, ...], result: IndividualPrivacy
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """ε of the rows that stay, with and without the rows left out, under the same release; None if none is."""
        if not any(edit.rows for edit in edits):
            return None
        whole = self._trial(tuple(edit for edit in edits if not edit.rows))
        with_them = individual_privacy(whole.dataset, result.mechanism, self.answers.delta)
        return with_them.epsilon[np.isin(whole.places, trial.places)], result.epsilon

    @cached_property
    def _model(self) -> dict[str, Any]:
        domain = None if self.now.is_linear else self.dataset.domain
        return {"loss": self.now.loss, "clip": self.now.clip, "domain": domain}

    @cached_property
    def _unprotected(self) -> GlmRelease:
        return RELEASES["posterior"].build(gamma=1.0, lam=TRIED_PENALTIES[0], **self._model)

    @cached_property
    def _groups(self) -> tuple[np.ndarray, ...]:
        return groups_of(self.dataset, self.answers.person)

    @cached_property
    def _rows_before(self) -> IndividualPrivacy:
        return individual_privacy(self.dataset, self.now, self.answers.delta)

    @property
    def _before(self) -> np.ndarray:
        """ε of everyone as it is; of the rows alone if the persons have too many."""
        affordable = is_affordable(self.dataset.n_samples, self._groups)
        return everyone(self._rows_before, self._groups if affordable else ())

    @cached_property
    def _others(self) -> np.ndarray:
        epsilon = self._rows_before.epsilon
        return np.flatnonzero(epsilon <= float(quantiles(epsilon, 0.99)))


def _reading(dataset: Dataset, answers: Answers) -> dict[str, Any]:
    """The options of `make_dataset` that make the data set as the answers want it."""
    encoder, features, domain = dataset.encoder, chosen_features(dataset), dataset.domain
    if answers.person in encoder.features:
        features = tuple(name for name in encoder.features if name != answers.person)
    if answers.ranges:
        domain = replace(domain or Domain(), ranges={**((domain and domain.ranges) or {}), **answers.ranges})
    return {
        "target": dataset.target, "features": features, "domain": domain, "missing": encoder.missing,
        "intercept": encoder.intercept, "label": dataset.origin.label if dataset.origin else "",
        "positive": encoder.positive, "counts": encoder.counts,
    }  # fmt: skip


def _usual(dataset: Dataset) -> GlmRelease:
    """A posterior sample with γ = λ = 1 of the model that suits the target, as the page opens with."""
    entry, loss = RELEASES["posterior"], models_for(dataset).default
    domain = dataset.domain if LOSSES[loss] != LOSSES["squared"] else None
    clip = default_clip(domain) if domain is not None and entry.can_clip(LOSSES[loss], domain) else None
    return entry.build(gamma=1.0, lam=1.0, loss=loss, clip=clip, domain=domain)


def _known(frame: pd.DataFrame, dataset: Dataset) -> pd.DataFrame:
    """The cells with the most frequent level in place of one that only rows left out have, and any known target."""
    target = dataset.encoder.target
    own = dataset.original()
    frame = frame.assign(**{target: own[target].iloc[0]})
    for name, known in dataset.encoder.levels.items():
        if name != target:
            cells = frame[name].astype(object)
            frame = frame.assign(**{name: cells.where(cells.isin(known) | cells.isna(), own[name].mode().iloc[0])})
    return frame


def _exactly(result: IndividualPrivacy) -> float | None:
    """ε of the most exposed row of an expansion without it, with its error bar; None if unknown or too much work."""
    effort = analysis_of(result.mechanism).exact_effort(result.dataset.n_samples, result.dataset.n_features)
    if result.method is not EpsilonMethod.EXPANSION or effort > _EXACT_EFFORT:
        return None
    found, _ = or_reason(lambda: exact_row(result, int(result.most_exposed(1)[0])))
    return None if found is None else float(found.epsilon[0] + found.error[0])
