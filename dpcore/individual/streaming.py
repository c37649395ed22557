"""Per-instance privacy of a table that does not fit into memory: two passes over a Parquet or CSV file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.data.chunks import ChunkedFile, NotNumbers
from dpcore.data.domain import Domain
from dpcore.data.kinds import Column
from dpcore.data.recipe import (
    Block,
    Counts,
    Facts,
    Recipe,
    candidates,
    encode,
    head_extremes,
    make_recipe,
    report,
)
from dpcore.errors import Cancelled, DPError
from dpcore.individual.base import ANALYSES, Ball
from dpcore.individual.blocks import COLUMNS, Decisive, Fit, Moments, Triangle, check_mechanism, row_values
from dpcore.individual.exposure_summary import ExposureSummary, Gathered
from dpcore.individual.for_all import ForAll, for_all
from dpcore.individual.row_sink import RowSink

_STARTS = 8
PASSES = ("reading", "orthogonal factors", "computing")

Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class Streamed:
    """Summary of all rows, SHA-256 of the file, and the ridge fit."""

    summary: ExposureSummary
    sha256: str
    fit: Fit = field(repr=False)


def stream_privacy(
    path: Any,
    target: str,
    mechanism: Any,
    delta: float = 1e-6,
    *,
    features: Sequence[str] | None = None,
    domain: Domain | None = None,
    missing: str = "drop",
    intercept: bool = False,
    max_categories: int = 50,
    rows: Any = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Streamed:
    r"""The numbers of `individual_privacy` with a memory that does not depend on the number of rows.

    The first pass sums XᵀX and Xᵀy and checks every row, the second computes leverage, residual and exact ε of each
    row. Columns are typed from the first rows (8 MB of a CSV file); where later rows say otherwise (a new category, a
    column that is not constant after all) the first pass is repeated. Further passes are made only where a row alone
    decides the fit, or the columns are nearly collinear.

    Parameters
    ----------
    path : Parquet or CSV (UTF-8) file
    target, features, domain, missing, intercept, max_categories : as in `make_dataset`; missing is "drop" or "zero",
        and the domain must not take ranges from the data
    mechanism : OutputPerturbation or PosteriorSampling
    delta : float in (0, 1)
    rows : file ending in .parquet or .csv for the values of every row, without the reasons
    progress : told the name of the pass and its share done, in [0, 1]
    cancelled : asked after every batch; if it says True the computation ends and leaves no file behind

    Raises
    ------
    DataError, ParameterError, UnsupportedError
    Cancelled

    References: wang-2019.
    """
    check_mechanism(mechanism)
    delta = validation.probability("delta", delta, allow_zero=False, allow_one=False)
    sink = None if rows is None else RowSink(rows)
    run = _Run(ChunkedFile(path), target, features, domain, missing, intercept, max_categories, progress, cancelled)
    with ThreadPoolExecutor(1) as pool:
        try:
            digest = run.read(pool)
            fit = run.fit(float(mechanism.lam))
            gathered, fit = run.rows(fit, mechanism, float(np.log(delta)), sink)
            sha256 = digest.result()
        finally:
            run.ended = True
    worst, reach, unknown = beyond(fit, mechanism, delta, domain, run.counts.kept, gathered.top_X)
    summary = gathered.summary(
        mechanism=mechanism, delta=delta, method="exact", domain=domain, names=run.recipe.names,
        target=run.recipe.choice.target, report=report(run.recipe, run.counts, run.file.head),
        for_all=reach, worst_case=worst, unknown=unknown, caveat=getattr(mechanism, "caveat", ""),
    )  # fmt: skip
    return Streamed(summary, sha256, fit)


def beyond(
    fit: Fit, mechanism: Any, delta: float, domain: Domain | None, n: int, starts: np.ndarray
) -> tuple[Any, ForAll | None, dict[str, str]]:
    """Worst-case profile and the most exposed record of the domain; None, with the reason, where there is none."""
    unknown: dict[str, str] = {}
    if domain is None:
        text = "a statement about every record needs the public domain"
        return None, None, {"worst_case": text, "for_all": text}
    worst = reach = None
    try:
        worst = mechanism.worst_case(domain, n)
    except DPError as error:
        unknown["worst_case"] = str(error)
    try:
        ball = Ball(domain.row_norm, domain.target_bound)
        reach = for_all(ANALYSES.find(mechanism), mechanism, fit.whole(), ball, delta, starts[:_STARTS][::-1])
    except DPError as error:
        unknown["for_all"] = str(error)
    return worst, reach, unknown


@dataclass
class _Run:
    """One file and what is known of it as the passes go on."""

    file: ChunkedFile
    target: str
    features: Sequence[str] | None
    domain: Domain | None
    missing: str
    intercept: bool
    max_categories: int
    progress: Progress | None
    cancelled: Callable[[], bool] | None
    ended: bool = False
    counts: Counts = field(default_factory=Counts)
    moments: Moments = field(default_factory=Moments)
    recipe: Recipe = field(init=False)

    def read(self, pool: ThreadPoolExecutor) -> Future[str]:
        """First pass, repeated until the recipe it encoded with is the one all rows call for; SHA-256 of the file."""
        pending = pool.submit(self.file.sha256, self._check) if self.file.is_parquet else Future()
        head, wanted = self.file.head, candidates(self.file.head, self.target, self.features)
        recipe = None if self._target_is_open() else self._recipe(head.columns, head_extremes(head, self.target))
        while True:
            facts, self.counts, self.moments, digest = Facts(head, wanted), Counts(), Moments(), hashlib.sha256()
            try:
                for row, batch in self._batches(PASSES[0], wanted, digest):
                    typed = facts.add(row, dict(zip(wanted, batch, strict=True)))
                    if recipe is not None:
                        self.moments.add(encode(recipe, row, typed, self.counts))
            except NotNumbers as error:
                self.file.read_as_text(error.position)
                continue
            self.recipe = self._recipe(facts.columns(), facts.extremes(self.target))
            if recipe is not None and self.recipe.encoding == recipe.encoding:
                break
            recipe = self.recipe
        report(self.recipe, self.counts, head)
        if not self.file.is_parquet:
            pending.set_result(digest.hexdigest())
        return pending

    def fit(self, lam: float) -> Fit:
        """Ridge fit to all rows."""
        return Fit.of(self.recipe.names, self.moments, lam, lambda: self._triangle(lam))

    def rows(self, fit: Fit, mechanism: Any, log_delta: float, sink: RowSink | None) -> tuple[Gathered, Fit]:
        """Second pass: values of every row, gathered and written; repeated where a row alone decides the fit."""
        with sink or nullcontext():
            while True:
                gathered, open_rows = Gathered(self.counts.kept), []
                for block in self._blocks(PASSES[2]):
                    values, decisive = row_values(fit, block, mechanism, log_delta)
                    if len(decisive.rows):
                        open_rows.append(decisive)
                    if open_rows:
                        continue
                    gathered.add(values, block.X)
                    if sink is not None:
                        sink.write({name: values[name] for name in COLUMNS})
                if not open_rows:
                    return gathered, fit
                found = Decisive.joined(open_rows)
                fit = fit.refitted(found, self._triangle(fit.lam, frozenset(found.rows.tolist())))
                if sink is not None:
                    sink.restart()

    def _triangle(self, lam: float, without: frozenset[int] = frozenset()) -> Triangle:
        triangle = Triangle.of_penalty(self.recipe.n_features, lam, without)
        for block in self._blocks(PASSES[1]):
            triangle.add(block)
        return triangle

    def _blocks(self, stage: str) -> Iterator[Block]:
        positions = sorted(set(self.recipe.positions))
        facts, counts = Facts(self.file.head, positions), Counts()
        for row, batch in self._batches(stage, positions):
            block = encode(self.recipe, row, facts.add(row, dict(zip(positions, batch, strict=True))), counts)
            if len(block.y):
                yield block

    def _batches(self, stage: str, positions: list[int], digest: Any = None) -> Iterator[tuple[int, list[Any]]]:
        def seen(share: float) -> None:
            self._check()
            if self.progress is not None:
                self.progress(stage, share)

        self._check()
        return self.file.batches(positions, digest, seen)

    def _check(self) -> None:
        if self.ended or (self.cancelled is not None and self.cancelled()):
            raise Cancelled("The computation was stopped before it was finished.")

    def _target_is_open(self) -> bool:
        """Whether the first rows alone would refuse a target that may vary further down."""
        head = self.file.head
        known = self.target in head and head.column(self.target).kind in ("constant", "empty")
        return known and not self.file.complete

    def _recipe(self, columns: Sequence[Column], extremes: tuple[float, float] | None) -> Recipe:
        return make_recipe(
            self.file.head, tuple(columns), self.target, self.features, self.domain,
            missing=self.missing, intercept=self.intercept, max_categories=self.max_categories, extremes=extremes,
        )  # fmt: skip
