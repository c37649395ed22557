"""Per-instance privacy of a table that does not fit into memory, by a few passes over a Parquet or CSV file."""

from __future__ import annotations

import hashlib
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dpcore import validation
from dpcore.data.domain import Domain
from dpcore.data.ingest.table import Table
from dpcore.data.stream.chunks import ChunkedFile, NotNumbers
from dpcore.data.stream.recipe import Block, Counts, Facts, Recipe, Wanted, candidates, encode, known_of_head, report
from dpcore.errors import Cancelled, or_reason
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.exposure import analysis_of
from dpcore.individual.fit.leverage import Leverage, ridge_fit
from dpcore.individual.fit.refits import Triangle, refit
from dpcore.individual.passes.blocks import Moments, row_values
from dpcore.individual.passes.gathered import Gathered
from dpcore.individual.passes.glm import Sampled, fit_in_passes
from dpcore.individual.passes.row_sink import RowSink
from dpcore.individual.worst_record.for_all import ForAll, for_all
from dpcore.mechanisms.releases import GlmRelease

PASSES = ("reading", "orthogonal factors", "computing")
FITTING = "fitting, pass {}"
EXPANSION = (
    "The ε of every row is its expansion around the fit, neither exact nor a bound: without it a row needs all others at once, so "
    "read the whole file into memory for the rows of interest."
)

Progress = Callable[[str, float], None]
Total = TypeVar("Total", bound=Moments)


@dataclass(frozen=True, eq=False)
class Streamed:
    """Summary of all rows, SHA-256 of the file, and the fit of all rows."""

    summary: ExposureSummary
    fit: Leverage = field(repr=False)
    sha256: str


def stream_privacy(
    path: Any,
    target: str,
    mechanism: GlmRelease,
    delta: float = 1e-6,
    *,
    rows: Any = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    **choice: Any,
) -> Streamed:
    r"""The numbers of `individual_privacy` with a memory that does not depend on the number of rows.

    In linear regression, the first pass sums XᵀX and Xᵀy and checks every row; the second computes leverage, residual
    and exact ε of each row. Further passes are made only if a row alone determines a direction of the fit, or if the
    columns are nearly collinear. Any other model is fitted in between, with one pass for each step of Newton's method:
    it starts at the fit to a sample of the rows, and ends when ‖∇J‖ is as small as in memory. ε of each row is its
    expansion around that fit. The types of columns are taken from the first rows (8 MB of a CSV file). If later rows
    contradict them (a new category, a column that is not constant after all), the first pass is repeated.

    Parameters
    ----------
    path : Parquet or CSV file
    target : as in `make_dataset`
    mechanism : OutputPerturbation, PosteriorSampling or ObjectivePerturbation with the loss it names
    delta : float in (0, 1)
    rows : file ending in .parquet or .csv for the values of every row, without the reasons
    progress : called with the name of the pass and the share of it that is done, in [0, 1]
    cancelled : called after every batch; if it returns True, the computation ends and leaves no file behind
    choice : features, domain, missing, intercept, max_categories, positive and counts, as in `make_dataset`; missing is
        "drop" or "zero", and the domain must not take ranges from the data

    Raises
    ------
    DataError, ParameterError, UnsupportedError
    ConvergenceError
        If the fit did not reach the gradient norm that is required.
    Cancelled

    References: wang-2019.
    """
    analysis = analysis_of(mechanism)
    delta = validation.open_probability("delta", delta)
    sink = None if rows is None else RowSink(rows, analysis.method)
    run = FileRun(ChunkedFile(path), Wanted(target, **choice), progress, cancelled)
    with ThreadPoolExecutor(1) as pool:
        try:
            pending = pool.submit(run.file.sha256, run.check) if run.file.is_parquet else None
            answer = run.answer(mechanism, delta, sink)
            sha256 = pending.result() if pending is not None else run.digest.hexdigest()
        finally:
            run.ended = True
    return Streamed(*answer, sha256)


def _beyond(
    fit: Leverage, mechanism: GlmRelease, delta: float, domain: Domain | None, n: int
) -> tuple[Any, ForAll | None, dict[str, str]]:
    """Worst-case profile, the most exposed record of the domain, and the reason for each of these that is None."""
    if domain is None:
        text = "a statement about every record needs the public domain"
        return None, None, {"worst_case": text, "for_all": text}
    worst, no_worst = or_reason(lambda: mechanism.worst_case(domain, n))
    reach, why_not = or_reason(lambda: for_all(mechanism, fit, domain, delta))
    unknown = {name: why for name, why in (("worst_case", no_worst), ("for_all", why_not)) if why}
    return worst, reach, unknown


class Asked(NamedTuple):
    """What the values of every row are computed from: the fit to all rows, the release, and log δ."""

    fit: Leverage
    mechanism: GlmRelease
    log_delta: float


class RowSource(ABC):
    """Rows of a table, batch by batch, and what a pass makes of them; `head`: its first rows, or its columns alone."""

    head: Table

    @abstractmethod
    def batches(self, positions: list[int]) -> Iterator[tuple[int, list[Any]]]:
        """The number of the first row of each batch, and its columns at these positions of the table."""

    def scan(self, positions: list[int], recipe: Recipe | None, kind: type[Total]) -> tuple[Facts, Counts, Total]:
        """First pass: facts about the columns and, if there is a recipe to encode rows, the sums over the rows."""
        facts, counts, total = Facts(self.head, positions), Counts(), kind()
        for row, batch in self.batches(positions):
            typed = facts.add(row, dict(zip(positions, batch, strict=True)))
            if recipe is not None:
                total.add(encode(recipe, row, typed, counts))
        return facts, counts, total

    def blocks(self, recipe: Recipe) -> Iterator[Block]:
        """The rows that are used, block by block."""
        positions = sorted(set(recipe.positions))
        facts, counts = Facts(self.head, positions), Counts()
        for row, batch in self.batches(positions):
            typed = facts.typed(row, dict(zip(positions, batch, strict=True)))
            block = encode(recipe, row, typed, counts)
            if len(block.y):
                yield block

    def added(self, recipe: Recipe, total: Any) -> Any:
        """Every row added to a sum."""
        for block in self.blocks(recipe):
            total.add(block)
        return total

    def rows(
        self, recipe: Recipe, asked: Asked, gathered: Gathered, sink: RowSink | None
    ) -> tuple[Gathered, Block | None]:
        """Second pass: values of every row, gathered and written; or else the rows that must be refitted first."""
        found: list[Block] = []
        with sink or nullcontext():
            for block in self.blocks(recipe):
                values, decisive = row_values(asked.fit, block, asked.mechanism, asked.log_delta)
                if decisive is not None:
                    found.append(decisive)
                if found:
                    continue
                gathered.add(values)
                if sink is not None:
                    sink.write(values)
            if found and sink is not None:
                sink.restart()
        return gathered, Block.joined(found) if found else None


class Run(ABC):
    """The passes over one table; subclasses define how a pass reads the rows."""

    def __init__(
        self, file: ChunkedFile, wanted: Wanted, progress: Progress | None, cancelled: Callable[[], bool] | None
    ) -> None:
        self.file, self.wanted = file, wanted
        self.ended = False
        self._progress, self._cancelled = progress, cancelled
        self.recipe: Recipe
        self.counts: Counts

    def answer(self, mechanism: GlmRelease, delta: float, sink: Any) -> tuple[ExposureSummary, Leverage]:
        """Make all passes; the summary of all rows, and their fit."""
        lam, fit = float(mechanism.lam), self._fit(mechanism)
        while True:
            gathered, decisive = self.rows(Asked(fit, mechanism, float(np.log(delta))), sink)
            if decisive is None:
                break
            common = self._triangle(lam, frozenset(decisive.rows.tolist()))
            fit = replace(fit, refits=refit(common, decisive.X, decisive.y, decisive.rows, decisive.rows, lam))
        domain = self.recipe.domain
        worst, reach, unknown = _beyond(fit, mechanism, delta, domain, self.counts.kept)
        analysis = analysis_of(mechanism)
        endless = analysis.endless_rows(gathered.epsilon.infinite)
        caveats = "" if mechanism.is_linear else EXPANSION, mechanism.caveat, endless
        summary = gathered.summary(
            mechanism=mechanism, delta=delta, method=analysis.method, domain=domain, names=self.recipe.names,
            target=self.recipe.choice.target, report=report(self.recipe, self.counts, self.file.head),
            for_all=reach, worst_case=worst, unknown=unknown, caveat=" ".join(filter(None, caveats)),
        )  # fmt: skip
        return summary, fit

    @abstractmethod
    def scan(self, positions: list[int], recipe: Recipe | None, kind: type[Total]) -> tuple[Facts, Counts, Total]:
        """First pass: facts about the columns, and the sums over the rows encoded by the recipe."""

    @abstractmethod
    def over_rows(self, stage: str, total: Any) -> Any:
        """One pass that adds every row to a sum: block by block (`add`), and on a cluster part by part to sums of the
        same kind that are `empty` at first, which are then put together (`merge`)."""

    @abstractmethod
    def rows(self, asked: Asked, sink: Any) -> tuple[Gathered, Block | None]:
        """Second pass: values of every row, gathered and written, or the rows that must be refitted first."""

    def seen(self, stage: str, share: float) -> None:
        """Report progress, and stop if asked to."""
        self.check()
        if self._progress is not None:
            self._progress(stage, share)

    def check(self) -> None:
        """Stop if asked to.

        Raises
        ------
        Cancelled
        """
        if self.ended or (self._cancelled is not None and self._cancelled()):
            raise Cancelled("The computation was stopped before it was finished.")

    def _fit(self, mechanism: GlmRelease) -> Leverage:
        """The fit of all rows."""
        if mechanism.is_linear:
            total, lam = self.read(Moments), float(mechanism.lam)
            return ridge_fit(self.recipe.names, total.gram, total.moment, lam, lambda: self._triangle(lam, frozenset()))
        numbers = itertools.count(1)
        return fit_in_passes(
            mechanism, self.read(Sampled), lambda total: self.over_rows(FITTING.format(next(numbers)), total)
        )

    def _triangle(self, lam: float, without: frozenset[int]) -> np.ndarray:
        """Triangular factor of the penalty and of all rows, except those whose numbers are in `without`."""
        return self.over_rows(PASSES[1], Triangle.of_penalty(self.recipe.n_features, lam, without)).factor

    def read(self, kind: type[Total]) -> Total:
        """First pass, repeated until rows were encoded with the recipe that all rows together require."""
        head, target = self.file.head, self.wanted.target
        positions = candidates(head, target, self.wanted.features)
        recipe = None
        if not self._target_is_open():
            recipe = self.wanted.recipe(head, head.columns, known_of_head(head, target))
        while True:
            try:
                facts, self.counts, total = self.scan(positions, recipe, kind)
            except NotNumbers as error:
                self.file.read_as_text(error.position)
                continue
            self.recipe = self.wanted.recipe(head, facts.columns(), facts.known(target))
            if recipe is not None and self.recipe.encoding == recipe.encoding:
                break
            recipe = self.recipe
        report(self.recipe, self.counts, head)
        return total

    def _target_is_open(self) -> bool:
        """Whether the first rows cannot tell if the target varies, or holds the level asked for, as later rows may."""
        head, target = self.file.head, self.wanted.target
        if self.file.complete or target not in head:
            return False
        return head.column(target).kind in ("constant", "empty") or self.wanted.positive is not None


@dataclass
class FileSource(RowSource):
    """One file, read by this process; it reports progress."""

    head: Table
    run: Run
    stage: str
    digest: Any = None

    def batches(self, positions: list[int]) -> Iterator[tuple[int, list[Any]]]:
        self.run.check()
        return self.run.file.batches(positions, self.digest, lambda share: self.run.seen(self.stage, share))


class FileRun(Run):
    """One file, read by this process."""

    digest: Any

    def scan(self, positions: list[int], recipe: Recipe | None, kind: type[Total]) -> tuple[Facts, Counts, Total]:
        self.digest = hashlib.sha256()
        return FileSource(self.file.head, self, PASSES[0], self.digest).scan(positions, recipe, kind)

    def over_rows(self, stage: str, total: Any) -> Any:
        return FileSource(self.file.head, self, stage).added(self.recipe, total)

    def rows(self, asked: Asked, sink: RowSink | None) -> tuple[Gathered, Block | None]:
        return FileSource(self.file.head, self, PASSES[2]).rows(self.recipe, asked, Gathered(self.counts.kept), sink)
