"""Per-instance privacy of a file larger than memory: peak memory, and time against a full scan of the same file.

The file holds 5 000 000 × 50 doubles (2 GB) in the row groups that pandas writes (1 048 576 rows, 430 MB each, which a
reader must not hold). The scan is pyarrow reading every batch of every column and doing nothing with it. Every task runs in a fresh
process; its peak is what the operating system reports. Statsmodels is compared in `leverage`.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import dpcore as dp
from dpcore.data.ingest.parquet import open_parquet
from dpcore.individual.passes.file import stream_privacy

N, D, GROUP = 5_000_000, 50, 1 << 20
TARGET_MB = 600


def _write(path: Path, n: int) -> None:
    rng = np.random.default_rng(0)
    weights = 0.3 * rng.normal(size=D)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(D)] + [("y", pa.float64())])
    with parquet.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
        for start in range(0, n, GROUP):
            rows = min(GROUP, n - start)
            columns = [rng.normal(size=rows) / np.sqrt(D) for _ in range(D)]
            target = sum(w * x for w, x in zip(weights, columns, strict=True)) + 0.3 * rng.normal(size=rows)
            writer.write_table(pa.table([*columns, target], schema=schema), row_group_size=rows)


def _scan(path: str, _: str) -> None:
    with open_parquet(path) as file:
        for _batch in file.iter_batches(20_000):
            pass


def _stream(path: str, rows: str) -> None:
    mechanism = dp.PosteriorSampling(gamma=1.0, lam=1.0)
    stream_privacy(path, "y", mechanism, domain=dp.Domain(), rows=rows or None)


def _output(path: str, rows: str) -> None:
    mechanism = dp.OutputPerturbation(sigma=1.0, lam=1.0)
    stream_privacy(path, "y", mechanism, domain=dp.Domain(), rows=rows or None)


def _peak() -> float:
    """Largest resident memory of this process so far, in MB (`getrusage` would count its parent's)."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _measured(work: Callable[[str, str], None], arguments: tuple[str, str], sender: Any) -> None:
    before = _peak()
    started, spent = time.perf_counter(), time.process_time()
    work(*arguments)
    sender.send(
        (
            time.perf_counter() - started,
            time.process_time() - spent,
            before,
            _peak(),
        )
    )


def _run(work: Callable[[str, str], None], path: str, rows: str = "") -> tuple[float, float, float, float]:
    """Wall seconds, processor seconds, resident megabytes before and at the peak, in a fresh process."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_measured, args=(work, (path, rows), sender))
    process.start()
    sender.close()
    result = receiver.recv()
    process.join()
    return result


def run() -> list[str]:
    """Peaks in MB and ratios of times."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        _write(path, N)
        lines.append(f"{N:,} × {D} in row groups of {GROUP:,}: {path.stat().st_size / 1e9:.2f} GB")
        _run(_scan, str(path))
        wall, processor, _, peak = _run(_scan, str(path))
        lines.append(f"  pyarrow full scan: {wall:.1f} s ({processor:.1f} s processor), peak {peak:.0f} MB")
        for name, work, rows in (
            ("posterior sample, rows to Parquet", _stream, "rows.parquet"),
            ("posterior sample, rows to CSV", _stream, "rows.csv"),
            ("output perturbation, summary only", _output, ""),
        ):
            taken, spent, before, peak = _run(work, str(path), str(Path(folder) / rows) if rows else "")
            lines.append(
                f"  {name}: {taken:.1f} s ({spent:.1f} s processor), {taken / wall:.1f} × one scan "
                f"({spent / processor:.1f} × in processor time); peak {peak:.0f} MB resident (target {TARGET_MB}), "
                f"{before:.0f} MB of it before the file was opened"
            )
    return lines
