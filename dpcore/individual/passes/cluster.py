"""Per-instance privacy of Parquet files on a cluster: the passes of `stream_privacy`, one task for each row group.

Needs the extra `dpcore[distributed]` only to make the client that is passed in; nothing of Dask is imported here.
"""

from __future__ import annotations

import hashlib
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpcore import validation
from dpcore.data.ingest.parquet import open_parquet, parquet_batches
from dpcore.data.ingest.table import Table
from dpcore.data.names import quoted
from dpcore.data.stream.chunks import ChunkedFile
from dpcore.data.stream.recipe import Block, Counts, Facts, Recipe, Wanted
from dpcore.errors import DataError, ParameterError
from dpcore.individual.exposure import analysis_of
from dpcore.individual.passes.file import PASSES, Asked, Progress, RowSource, Run, Streamed, Total
from dpcore.individual.passes.gathered import Gathered
from dpcore.individual.passes.row_sink import RowSink
from dpcore.mechanisms.releases import GlmRelease

# Seconds between two checks of a task, which also notice a request to stop. Doubled, it is noticed up to twice as late.
_POLL = 0.02


@dataclass(frozen=True)
class RowGroup(RowSource):
    """One row group of one file, the number of its first row within the whole table, and the table's columns without rows."""

    path: str
    group: int
    first: int
    head: Table

    def batches(self, positions: list[int]) -> Iterator[tuple[int, list[Any]]]:
        row = self.first
        for _, batch in parquet_batches(self.path, positions, self.group):
            yield row, batch
            row += len(batch[0])


def cluster_privacy(
    client: Any,
    paths: Any,
    target: str,
    mechanism: GlmRelease,
    delta: float = 1e-6,
    *,
    rows: Any = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    **choice: Any,
) -> Streamed:
    """The numbers of `stream_privacy`, computed by the workers of a Dask cluster.

    Parameters
    ----------
    client : `dask.distributed.Client`
    paths : Parquet file, or list of files with the same columns, which every worker can open; rows are numbered
        through all of them
    rows : folder that every worker can write to, for the values of every row: part-00000.parquet and so on
    choice : features, domain, missing, intercept, max_categories, positive and counts, as in `stream_privacy`
    target, mechanism, delta, progress, cancelled : as in `stream_privacy`

    Returns
    -------
    Streamed
        Its `sha256` is that of the file; for several files, that of their hexadecimal digests, one after the other.

    Raises
    ------
    DataError, ParameterError, UnsupportedError, ConvergenceError
    Cancelled

    References: wang-2019.
    """
    analysis_of(mechanism)
    delta = validation.open_probability("delta", delta)
    files = [ChunkedFile(path) for path in ([paths] if isinstance(paths, str | Path) else list(paths))]
    parts = _parts(files)
    folder = None if rows is None else Path(rows)
    if folder is not None and not folder.is_dir():
        raise ParameterError(f"there is no folder {quoted(rows, 120)} to write the rows to")
    wanted = Wanted(target, **choice)
    run = ClusterRun(client, parts, files[0], wanted, progress, cancelled)
    digests = [client.submit(_sha256, str(file.path), pure=False) for file in files]
    unfinished = None if folder is None else folder / f".unfinished-{uuid.uuid4().hex}"
    try:
        if unfinished is not None:
            unfinished.mkdir()
        answer = run.answer(mechanism, delta, unfinished)
        found = [run.wait(digest) for digest in digests]
        if folder is not None and unfinished is not None:
            for path in sorted(unfinished.iterdir()):
                path.replace(folder / path.name)
    finally:
        client.cancel(digests)
        if unfinished is not None:  # a task that is still running then has no folder to write to
            shutil.rmtree(unfinished, ignore_errors=True)
    sha256 = found[0] if len(found) == 1 else hashlib.sha256("".join(found).encode()).hexdigest()
    return Streamed(*answer, sha256)


class ClusterRun(Run):
    """Row groups read by the workers of a cluster.

    Parameters
    ----------
    client : `dask.distributed.Client`
    parts : which row groups of which file
    run : arguments of `Run`; its file is the first one, which defines the columns
    """

    def __init__(self, client: Any, parts: list[RowGroup], *run: Any) -> None:
        super().__init__(*run)
        self.file.complete = self.file.complete and len(parts) == 1
        self._client, self._parts = client, parts
        self._kept: list[int] = []

    def scan(self, positions: list[int], recipe: Recipe | None, kind: type[Total]) -> tuple[Facts, Counts, Total]:
        sums = Facts(self.file.head, positions), Counts(), kind()
        totals: tuple[Any, ...] = sums
        self._kept = []
        for part in self._each(PASSES[0], [(part.scan, positions, recipe, kind) for part in self._parts]):
            self._kept.append(part[1].kept)
            for total, one in zip(totals, part, strict=True):
                total.merge(one)
        return sums

    def over_rows(self, stage: str, total: Any) -> Any:
        for part in self._each(stage, [(part.added, self.recipe, total.empty()) for part in self._parts]):
            total.merge(part)
        return total

    def rows(self, asked: Asked, sink: Path | None) -> tuple[Gathered, Block | None]:
        total, found, first, tasks = Gathered(self.counts.kept), [], 0, []
        for number, (part, kept) in enumerate(zip(self._parts, self._kept, strict=True)):
            own, path = Gathered(self.counts.kept, done=first), None
            if sink is not None:
                path = RowSink(sink / f"part-{number:05}.parquet", analysis_of(asked.mechanism).method)
            tasks.append((part.rows, self.recipe, asked, own, path))
            first += kept
        for gathered, decisive in self._each(PASSES[2], tasks):
            total.merge(gathered)
            found += [] if decisive is None else [decisive]
        return total, Block.joined(found) if found else None

    def wait(self, future: Any) -> Any:
        """The result of a task, unless the computation is stopped first."""
        while not future.done():
            self.check()
            time.sleep(_POLL)
        return future.result()

    def _each(self, stage: str, tasks: list[tuple[Any, ...]]) -> Iterator[Any]:
        """Results in the order of the parts; each is released once it has been used."""
        self.check()
        futures = [self._client.submit(*task, pure=False) for task in tasks]
        try:
            for number in range(len(tasks)):
                yield self.wait(futures[number])
                futures[number] = None
                self.seen(stage, (number + 1) / len(tasks))
        finally:
            self._client.cancel([future for future in futures if future is not None])


def _parts(files: list[ChunkedFile]) -> list[RowGroup]:
    parts, first = [], 0
    columns = replace(files[0].head, frame=files[0].head.frame.iloc[:0])
    for file in files:
        if not file.is_parquet:
            raise DataError(
                f"{quoted(file.name)} is not a Parquet file; a cluster reads Parquet only: convert it first."
            )
        if file.head.names != files[0].head.names:
            raise DataError(
                f"{quoted(file.name)} has other columns than {quoted(files[0].name)}; they must be the same."
            )
        with open_parquet(file.path) as opened:
            sizes = [opened.metadata.row_group(k).num_rows for k in range(opened.metadata.num_row_groups)]
        for group, size in enumerate(sizes):
            if size:
                parts.append(RowGroup(str(file.path.resolve()), group, first, columns))
            first += size
    return parts


def _sha256(path: str) -> str:
    return ChunkedFile(path).sha256()
