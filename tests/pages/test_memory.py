"""Memory is given back after something was forgotten, and again when a run that held it has ended."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from pages.server import memory


def test_memory_is_given_back_when_the_last_run_has_ended_however_late(monkeypatch):
    now, given = [100.0], []
    monkeypatch.setattr(memory.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(memory, "give_back", lambda: given.append(now[0]))
    leave = threading.Event()
    run = threading.Thread(target=leave.wait, name="ScriptRunner.scriptThread")
    run.start()

    def watched() -> int:
        with ThreadPoolExecutor(1) as elsewhere:  # a browser may hold this thread's event loop
            for _ in range(9):
                elsewhere.submit(lambda: asyncio.run(memory.give_back_when_due())).result()
        return len(given)

    memory.give_back_soon()
    assert watched() == 0
    now[0] += 100
    assert watched() == len(memory._AFTER)
    leave.set()
    run.join()
    assert watched() == len(memory._AFTER) + 1
