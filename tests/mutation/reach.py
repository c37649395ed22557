"""Which tests reach which line, and how long each takes: one run of the tests under coverage."""

import json
import signal
import sys
import time
from pathlib import Path

import coverage
import pytest

from tests.mutation.mutants import ROOT


class _TooLong(Exception):
    pass


class _Contexts:
    """Each test in a context of its own; one that takes longer than `longest` seconds of processor time is left out."""

    def __init__(self, measure: coverage.Coverage, longest: float):
        self.measure, self.longest, self.seconds = measure, longest, {}
        signal.signal(signal.SIGPROF, self._stop)

    def _stop(self, *_):
        raise _TooLong

    def _timed(self):
        signal.setitimer(signal.ITIMER_PROF, self.longest)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item):
        return (yield from self._timed())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        return (yield from self._timed())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.measure.switch_context(item.nodeid)
        started = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - started
        return result

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.failed = {*getattr(self, "failed", ()), report.nodeid}


def write(folders: list[str], tests: list[str], longest: float, target: Path) -> None:
    """Run `tests` once and write {"lines": {file: {line: [test]}}, "seconds": {test: s}, "modules": [third party]}."""
    measure = coverage.Coverage(data_file=None, source=[str(ROOT / folder) for folder in folders])
    contexts = _Contexts(measure, longest)
    measure.start()
    pytest.main(["-q", "-m", "", "-p", "no:cacheprovider", "--timeout=0", "--tb=no", *tests], plugins=[contexts])
    measure.stop()
    data, failed = measure.get_data(), getattr(contexts, "failed", set())
    lines = {
        str(Path(file).relative_to(ROOT)): {
            line: sorted({*names} - {"", *failed}) for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    own = ("dpcore", "tests", "pages", "coverage")
    modules = [name for name in sys.modules if "." not in name and name not in own and not name.startswith("_")]
    target.write_text(json.dumps({"lines": lines, "seconds": contexts.seconds, "modules": modules}))
