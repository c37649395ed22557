"""Single-threaded linear algebra under Python threads: row blocks that fit the cache, at most two parts at once."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np
from scipy import linalg as _linear_algebra  # noqa: F401  (its BLAS must be loaded before the controller looks)
from threadpoolctl import ThreadpoolController

_T = TypeVar("_T")
BLOCK_BYTES = 1 << 21  # bytes of a block of rows
# Effort in multiplications, about a millisecond, from which two threads are used. A thread may start that late on a
# busy machine.
WORTH_TWO_THREADS = 1 << 25
_LIBRARIES = ThreadpoolController().select(user_api="blas").lib_controllers


class SingleThreadedBlas:
    """Context with one BLAS thread until the last of all overlapping users, in whatever thread, has left.

    BLAS threads spin while they wait for each other, which costs small products more than it saves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._before = [library.num_threads for library in _LIBRARIES]
                self._set([1] * len(_LIBRARIES))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._set(self._before)

    def _set(self, numbers: list[int]) -> None:
        for library, number in zip(_LIBRARIES, numbers, strict=True):
            library.set_num_threads(number)
            if hasattr(library, "clear_controlling_thread"):  # else only this thread could change the number again
                library.clear_controlling_thread()


SINGLE_THREADED_BLAS = SingleThreadedBlas()
_HELPERS = ThreadPoolExecutor(os.cpu_count(), "dpcore-rows")  # kept: a new thread costs a tenth of a pass


def over_blocks(work: Callable[[list[slice]], _T], n: int, rows: int, effort: float) -> list[_T]:
    """Call `work` on the row blocks of n rows, as one part or, where the effort pays it, as two parts in parallel.

    The effort is counted in multiplications of a matrix product; a number read from memory costs as much as several.
    A second part that no thread has begun by the end of the first is done here: busy helpers are not waited for.
    Overflow gives inf and nan without a warning; callers look at their sums. The split depends on the sizes only, so
    that sums are rounded the same way on every machine.
    """

    def quietly(blocks: list[slice]) -> _T:
        with np.errstate(over="ignore", invalid="ignore"):
            return work(blocks)

    blocks = [slice(start, min(start + rows, n)) for start in range(0, n, rows)]
    with SINGLE_THREADED_BLAS:
        if effort < WORTH_TWO_THREADS or len(blocks) == 1:
            return [quietly(blocks)]
        half = -(-len(blocks) // 2)
        second = _HELPERS.submit(quietly, blocks[half:])
        try:
            first = quietly(blocks[:half])
        finally:
            begun = not second.cancel()
            if begun:
                wait([second])
        return [first, second.result() if begun else quietly(blocks[half:])]
