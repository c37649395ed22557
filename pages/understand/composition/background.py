"""Work that goes on while the page answers: one thing at a time for each session, the newest next."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from pages.components import cache, say

_KEPT = 64  # answers
_LOOK = 0.1  # seconds between two looks at the work


class Workshop:
    """A session's work on public mathematics: what is asked for last comes first, what nobody waits for is not begun."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, Future] = OrderedDict()
        self._waiting: dict[str, Callable[[], Any]] = {}
        self._working = False

    def ask(self, key: str, compute: Callable[[], Any]) -> Future:
        """The answer under this key, begun now or as soon as the work under way is done; other work that waits is dropped."""
        with self._lock:
            for other in list(self._waiting):
                if other != key:
                    del self._waiting[other], self._answers[other]
            if key not in self._answers:
                self._answers[key], self._waiting[key] = Future(), compute
                while len(self._answers) > _KEPT:
                    self._answers.popitem(last=False)
            if self._waiting and not self._working:
                self._working = True
                threading.Thread(target=self._work, daemon=True).start()
            return self._answers[key]

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._working = False
                    return
                key, compute = self._waiting.popitem()
                answer = self._answers[key]
            try:
                answer.set_result(compute())
            except BaseException as error:  # whoever waits is told
                answer.set_exception(error)


def ask(function: Callable[..., Any], *args: Any) -> Future:
    """`function(*args)` computed beside the page: only mathematics on public parameters."""
    key = "|".join([f"{function.__module__}.{function.__qualname__}", *(cache.value_key(arg) for arg in args)])
    return cache.kept(Workshop).ask(key, lambda: function(*args))


def wait(answer: Future, text: str, on: Any) -> Any:
    """The answer; until it is there a bar that creeps, and a page that a control interrupts at any time."""
    started = time.monotonic()
    while not answer.done():
        passed = time.monotonic() - started
        say.progress(passed / (passed + 3.0), text, on=on)
        time.sleep(_LOOK)
    on.empty()
    return answer.result()
