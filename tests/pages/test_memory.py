"""Memory is given back after something was forgotten, and again when a run that held it has ended."""

import threading

from pages.server import memory
from tests.pages.tabs import awaited


def test_memory_is_given_back_when_the_last_run_has_ended_however_late(monkeypatch):
    now, given = [100.0], []
    monkeypatch.setattr(memory.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(memory, "give_back", lambda: given.append(now[0]))
    leave = threading.Event()
    run = threading.Thread(target=leave.wait, name="ScriptRunner.scriptThread")
    run.start()

    def watched() -> int:
        for _ in range(9):
            awaited(memory.give_back_when_due)
        return len(given)

    memory.give_back_soon()
    assert watched() == 0
    now[0] += 100
    assert watched() == len(memory._AFTER)
    leave.set()
    run.join()
    assert watched() == len(memory._AFTER) + 1
