"""What can be done about an exposed row, or about most rows: the ε that results, and what it costs in accuracy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from dpcore import validation
from dpcore.errors import DPError, UnsupportedError
from dpcore.individual.analyses.accuracy import Accuracy, accuracy, target_unit, targets_in
from dpcore.individual.exposure import TOLERANCE
from dpcore.individual.fit.leverage import Leverage
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.cells import exposing_cells
from dpcore.individual.rows.edits import Changed, Edit, edits
from dpcore.individual.rows.subjects import MostRows, OneRow, Subject
from dpcore.mechanisms.releases import GlmRelease
from dpcore.numerics import CUT

# Number of people with the same record who join, as one option. Doubled, the row is hidden among twice as many.
COPIES = 30
# Up to this many rows, ε of options is computed without the expansion by default. Doubled, the longest wait for an
# option doubles.
_SURELY = 10_000
# Number of most exposing cells whose columns are changed. Doubled, advice takes up to twice as long.
_CELLS = 3
# A cell's column is changed if the cell accounts for at least this share of ε. Doubled, fewer changes are offered.
_LEAST_SHARE = 0.05
# _STEP: factor by which a parameter is raised while a bracket is searched for. _STEPS: how often at most. With the
# first doubled, brackets are wider; with the second, a parameter is raised by a factor of up to 4e12 instead of two
# million.
_STEP, _STEPS = 8.0, 7
_FARTHEST = _STEP**_STEPS
# Wanted error bar of ε without the expansion: the share _OF_TARGET of the target, but at least TOLERANCE and at most
# _COARSEST (nats). Doubled, computing takes less time, and settings go twice as far beyond what is needed.
_COARSEST, _OF_TARGET = 1e-2, 0.02
# Number of settings that are tried until ε without the expansion meets the target, and of rounded values of a setting,
# each a hundredth larger than the one before. If ε is k times the target, the next setting aims at a target smaller by
# a factor a little above k. It also raises the parameter by at least this factor, as the expansion may not see the ε
# that remains. If ε falls faster than that, the last step goes further than needed. Doubled, more settings meet the
# target.
_ROUNDS = 5


@dataclass(frozen=True)
class Option:
    """One thing to do: the ε it leads to (nats), whether that meets the target, the accuracy (or None), and a remark.

    setting : (name, value) of the mechanism's parameter, if the option is to set one
    """

    text: str
    epsilon: float
    meets: bool
    accuracy: Accuracy | None = None
    note: str = ""
    setting: tuple[str, float] | None = None


@dataclass(frozen=True)
class Advice:
    """Options for a target of ε, most useful first: those that meet it, by their price; then the others, by their ε.

    surely : whether every ε is computed without the expansion and includes its error bar
    """

    epsilon: float
    target: float
    accuracy: Accuracy
    options: tuple[Option, ...] = field(default=())
    surely: bool = False


def advise(
    result: IndividualPrivacy,
    index: int,
    target: float,
    *,
    surely: bool | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Advice:
    """What brings the ε of one row to at most `target`: changes of its cells' columns, dropping it, λ, noise, company.

    Every ε is computed from the changed data or mechanism. If ε of all rows is an expansion, ε of an option can be
    computed without it, with its error bar added; λ, noise and changes then go as far as this requires. The price is
    the accuracy of the changed release on all rows.

    Parameters
    ----------
    result : the analysis of the data as they are
    index : position of the row
    target : ε > 0, nats
    surely : whether ε is computed without the expansion, which takes many passes over the rows; by default up to 10 000
        rows
    progress : called with the share of the options that are done; an exception it raises stops the work

    Raises
    ------
    ParameterError, DataError
    """
    if surely is None and without_expansion(result):
        with suppress(UnsupportedError):  # no exact value is known so far from a normal law
            return advise(result, index, target, surely=True, progress=progress)
    index = position(index, result.epsilon.size)
    subject = OneRow(result.dataset, result.delta, index)
    price = _Price(result, target, bool(surely) and result.is_expansion, progress)
    now = price.epsilon(subject, result.mechanism) if price.surely else float(result.epsilon[index])
    if now <= price.target:
        return Advice(now, price.target, price.now(subject), surely=price.surely)
    found = [*price.edits(subject, index, now), *price.settings(subject)]
    without = price.of(result.mechanism, subject.rest.fit(result.mechanism))
    found.append(Option("leave the row out", 0.0, True, without, "it is then not in the data at all"))
    epsilon = price.epsilon(subject.among(COPIES), result.mechanism)
    company = Option(f"{COPIES} more people with this record", epsilon, epsilon <= target, None, "seldom to be had")
    return Advice(now, price.target, price.now(subject), (*_ordered(found), company), price.surely)


def without_expansion(result: IndividualPrivacy) -> bool:
    """Whether advice on a row avoids the expansion by default: ε is an expansion, and the rows are few enough."""
    return result.is_expansion and result.dataset.n_samples <= _SURELY


def advise_all(result: IndividualPrivacy, share: float, target: float) -> Advice:
    """What brings the ε of a share of all rows, such as 0.99, to at most `target`; see `advise`.

    Raises
    ------
    ParameterError, DataError
    """
    share = validation.probability("share", share)
    subject = MostRows(result.dataset, result.delta, share)
    price = _Price(result, target)
    now = float(result.quantiles(share))
    if now <= price.target:
        return Advice(now, price.target, price.now(subject))
    typical = int(np.argmin(np.abs(result.epsilon - now)))
    found = [*price.edits(subject, typical, now), *price.settings(subject)]
    return Advice(now, price.target, price.now(subject), _ordered(found))


def _ordered(options: list[Option]) -> tuple[Option, ...]:
    def key(option: Option) -> tuple[bool, float]:
        cost = np.inf if option.accuracy is None else option.accuracy.cost
        return not option.meets, cost if option.meets else option.epsilon

    return tuple(sorted(options, key=key))


class _Knob(NamedTuple):
    """A parameter of a release; it is proportional to this `power` of the factor that `change` takes."""

    name: str
    symbol: str
    power: int
    change: Callable[[float], GlmRelease]


class _Price:
    """Computes options, with their ε and their accuracy on the rows of one result."""

    def __init__(
        self,
        result: IndividualPrivacy,
        target: float,
        surely: bool = False,
        progress: Callable[[float], None] = lambda share: None,
    ) -> None:
        self.result, self.target = result, validation.positive("target", target)
        self.surely, self._progress, self._done = surely, progress, 0
        self.unit = target_unit(result.dataset)

    def epsilon(self, subject: Subject, mechanism: GlmRelease) -> float:
        """The ε that an option promises."""
        self._done += 1
        self._progress(1 - 0.9**self._done)
        tolerance = min(max(_OF_TARGET * self.target, TOLERANCE), _COARSEST)
        return subject.surely(mechanism, tolerance) if self.surely else subject.epsilon(mechanism)

    def of(self, mechanism: GlmRelease, fit: Leverage) -> Accuracy:
        """Accuracy of a fit on all rows."""
        return accuracy(mechanism, fit, self.result.dataset.X, self.result.dataset.y, self.unit)

    def changed(self, mechanism: GlmRelease, fit: Leverage, changed: Changed) -> Accuracy:
        """Accuracy of a fit to changed data, against the unchanged targets in the units of the changed data."""
        y, unit = targets_in(self.result.dataset, changed.target_range)
        return accuracy(mechanism, fit, changed.dataset.X, y, unit)

    def now(self, subject: Subject) -> Accuracy:
        return self.of(self.result.mechanism, subject.fit(self.result.mechanism))

    def edits(self, subject: Subject, index: int, now: float) -> Iterator[Option]:
        """Changes of the columns whose cells expose the row at this position most."""
        dataset = self.result.dataset
        frame = dataset.original()
        for cell in exposing_cells(self.result, index)[:_CELLS]:
            if cell.share >= _LEAST_SHARE or not np.isfinite(cell.contribution):
                for family in edits(dataset, frame, index, cell):
                    option = self._mildest(subject, family)
                    if option is not None and option.epsilon < now:
                        yield option

    def _mildest(self, subject: Subject, family: tuple[Edit, ...]) -> Option | None:
        """The mildest change that meets the target, otherwise the strictest; None if the fit is not determined then."""
        mechanism, made = self.result.mechanism, cache(partial(self._changed, subject))

        def meets(edit: Edit) -> bool:
            known = made(edit)
            return known is not None and known[0].excess(mechanism, self.target) <= 0

        option, mildest = None, min(bisect_left(family, True, key=meets), len(family) - 1)
        for edit in family[mildest:]:
            if known := made(edit):
                after, changed = known
                epsilon, price = self.epsilon(after, mechanism), self.changed(mechanism, after.fit(mechanism), changed)
                option = Option(edit.text, epsilon, epsilon <= self.target, price, edit.note)
                if option.meets or not self.surely:
                    break
        return option

    def _changed(self, subject: Subject, edit: Edit) -> tuple[Subject, Changed] | None:
        """The subject in the changed data, and these; None if the fit at this λ is not determined by them."""
        try:
            changed = edit.apply()
            after = subject.of(changed.dataset)
            after.excess(self.result.mechanism, self.target)
        except DPError:
            return None
        return after, changed

    def settings(self, subject: Subject) -> Iterator[Option]:
        """The λ and the noise that meet the target, or the reason why none does."""
        mechanism = self.result.mechanism
        if mechanism.lam > 0:
            yield self._setting(
                subject, _Knob("lam", "λ", 1, lambda factor: mechanism.with_penalty(mechanism.lam * factor))
            )
        noise = mechanism.noise
        yield self._setting(subject, _Knob(noise.name, noise.symbol, noise.noise, mechanism.with_noise))

    def _setting(self, subject: Subject, knob: _Knob) -> Option:
        """One parameter, raised until ε meets the target."""
        aim, least_factor = self.target, 1.0
        for _ in range(_ROUNDS if self.surely else 1):

            def excess(factor: float, aim: float = aim) -> float:
                return subject.excess(knob.change(factor), aim)

            factor = smallest_factor(excess)
            if factor is None:
                least, note = _least(subject, knob)
                return Option(f"no {knob.symbol} is enough", least, False, None, note)
            value, mechanism = self._rounded_setting(subject, knob, max(factor, least_factor))
            reached = self.epsilon(subject, mechanism)
            if reached <= self.target:
                break
            missed = (1 + TOLERANCE) * reached / self.target
            aim, least_factor = aim / missed, missed * max(factor, least_factor)
        changed = self.of(mechanism, subject.fit(mechanism))
        text, meets = f"{'raise' if knob.power > 0 else 'lower'} {knob.symbol} to {value:g}", reached <= self.target
        return Option(text, reached, meets, changed, setting=(knob.name, value))

    def _rounded_setting(self, subject: Subject, knob: _Knob, factor: float) -> tuple[float, GlmRelease]:
        """A value of three digits that meets the target, a little beyond the factor that just does."""
        for _ in range(_ROUNDS):
            value = _rounded(getattr(knob.change(factor), knob.name), up=knob.power > 0)
            ratio = value / getattr(self.result.mechanism, knob.name)
            mechanism = knob.change(ratio ** (1 / knob.power))
            if subject.excess(mechanism, self.target) <= 0:
                break
            factor *= 1.01
        return value, mechanism


def _least(subject: Subject, knob: _Knob) -> tuple[float, str]:
    """The least ε over all values of a parameter, and words for where it is: in the limit, or at a value before it."""
    floor = subject.epsilon(knob.change(_FARTHEST))
    if all(floor <= subject.epsilon(knob.change(factor)) * (1 + 1e-6) for factor in (_FARTHEST / _STEP, 1.0)):
        return floor, f"as {knob.symbol} → {'∞' if knob.power > 0 else '0'}, ε stays at {floor:.3g}"
    least, factor = min((subject.epsilon(knob.change(_STEP**k)), _STEP**k) for k in range(_STEPS))
    return least, f"ε is least, {least:.3g}, near {knob.symbol} = {getattr(knob.change(factor), knob.name):.3g}"


def smallest_factor(excess: Callable[[float], float]) -> float | None:
    """Smallest factor ≥ 1, to four digits, at which the excess falls to 0; None if there is none up to 8⁷."""
    low = high = 1.0
    while excess(high) > 0:
        if high >= _FARTHEST:
            return None
        low, high = high, high * _STEP
    if high == 1.0:
        return 1.0

    def clipped(log_factor: float) -> float:
        return float(np.clip(excess(float(np.exp(log_factor))), -CUT, CUT))

    root = float(np.exp(brentq(clipped, np.log(low), np.log(high), xtol=1e-4)))
    return root if excess(root) <= 0 else min(root * (1 + 3e-4), high)


def _rounded(value: float, *, up: bool) -> float:
    """Three significant digits, upwards or downwards."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 2)
    steps = value / unit
    whole = np.ceil(steps - 1e-9) if up else np.floor(steps + 1e-9)
    return float(f"{whole * unit:.2e}")
