"""Reading a large numeric CSV: time against pandas' C engine on the same input, memory in file sizes."""

import io
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dpcore as dp

_REPEATS = 5
_SHAPES = (("1 000 000 × 5, 17 digits", 1_000_000, 5, None), ("400 000 × 20, 6 decimals", 400_000, 20, "%.6f"))


def _private_bytes() -> int:
    """Memory of this process that is not backed by a file."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


def _seconds(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and processor time of one call."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def _peak(task: str, path: str, sender: Any) -> None:
    """Largest extra memory of one task in a fresh process, in file sizes."""
    tiny = b"a,b\n" + b"1.5,2\n3.5,4\n" * 3
    dp.load_csv(tiny, target="b")
    work = {
        "pandas": lambda: pd.read_csv(path),
        "read_table": lambda: dp.read_table(path),
        "load_csv": lambda: dp.load_csv(path, target="c0", domain=dp.Domain()),
    }[task]
    base, top, running = _private_bytes(), [0], [True]

    def watch() -> None:
        while running[0]:
            top[0] = max(top[0], _private_bytes() - base)
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    work()
    running[0] = False
    watcher.join()
    sender.send(top[0] / Path(path).stat().st_size)


def _memory(task: str, path: str) -> float:
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_peak, args=(task, path, sender))
    process.start()
    process.join()
    return receiver.recv()


def run() -> list[str]:
    """Lines with ratios: dpcore over pandas, best of five alternating runs (wall time; processor time in brackets)."""
    lines = []
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for label, rows, width, form in _SHAPES:
            path = str(Path(folder) / "numbers.csv")
            frame = pd.DataFrame(rng.normal(size=(rows, width)), columns=[f"c{j}" for j in range(width)])
            frame.to_csv(path, index=False, float_format=form)
            del frame
            data = Path(path).read_bytes()
            lines.append(f"{label}: {len(data) / 1e6:.0f} MB")
            for kind, peer, source in (
                ("bytes", lambda data=data: pd.read_csv(io.BytesIO(data)), data),
                ("file", partial(pd.read_csv, path), path),
            ):
                tasks = {
                    "pandas": peer,
                    "read_table": partial(dp.read_table, source),
                    "load_csv": partial(dp.load_csv, source, "c0", domain=dp.Domain()),
                }
                best = dict.fromkeys(tasks, (np.inf, np.inf))
                for _ in range(_REPEATS):
                    for name, work in tasks.items():
                        best[name] = tuple(map(min, best[name], _seconds(work)))
                wall, processor = best.pop("pandas")
                for name, (one, other) in best.items():
                    lines.append(
                        f"  {kind}: {name} / pandas C engine = {one / wall:.2f} ({other / processor:.2f}), {one:.3f} s"
                    )
            for task in ("pandas", "read_table", "load_csv"):
                lines.append(f"  file: {task} needs {_memory(task, path):.2f} file sizes of extra memory")
    return lines
