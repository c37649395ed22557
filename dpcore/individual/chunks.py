"""Two threads over row chunks that fit the cache, each with single-threaded linear algebra."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from scipy import linalg as _linear_algebra  # noqa: F401  (its BLAS must be loaded before the controller looks)
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
CHUNK_BYTES = 1 << 20
_PARTS = 2  # fixed, so that sums are rounded the same way on every machine
_CONTROLLER = ThreadpoolController()
_ONE_AT_A_TIME = threading.RLock()  # thread limits are global: overlapping callers would restore each other's


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep linear algebra on the calling thread: idle BLAS threads spin, and would slow the chunk workers down."""
    with _ONE_AT_A_TIME, _CONTROLLER.limit(limits=1, user_api="blas"):
        yield


def rows_per_chunk(width: int) -> int:
    """Rows of `width` float64 columns in about one megabyte."""
    return max(64, CHUNK_BYTES // (8 * width))


def in_two_parts(work: Callable[[list[slice]], T], n: int, chunk: int) -> list[T]:
    """Call `work` on the chunks of the first and of the second half of n rows, at once where both have work."""
    slices = [slice(start, min(start + chunk, n)) for start in range(0, n, chunk)]
    half = -(-len(slices) // _PARTS)
    parts = [part for part in (slices[:half], slices[half:]) if part]
    if len(parts) < _PARTS:
        return [work(part) for part in parts]
    with single_threaded_blas(), ThreadPoolExecutor(_PARTS) as pool:
        return list(pool.map(work, parts))
