"""Which tests reach which line, and how long each takes: one run of the tests under coverage."""

import json
import sys
import time
from pathlib import Path

import coverage
import pytest

from tests.mutation.mutants import ROOT


class _Contexts:
    """Each test in a context of its own, with its seconds of processor time; those that do not pass are remembered."""

    def __init__(self, measure: coverage.Coverage):
        self.measure, self.seconds, self.failed = measure, {}, set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.measure.switch_context(item.nodeid)
        started = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - started
        return result

    def pytest_runtest_logreport(self, report):
        if not report.passed:
            self.failed.add(report.nodeid)


def write(folders: list[str], tests: list[str], longest: float, target: Path) -> None:
    """Run `tests` once and write {"lines": {file: {line: [test]}}, "seconds": {test: s}, "modules": [third party]}.

    Tests that take longer than `longest` seconds are given up.
    """
    measure = coverage.Coverage(data_file=None, source=[str(ROOT / folder) for folder in folders])
    contexts = _Contexts(measure)
    measure.start()
    options = ["-q", "-m", "", "-p", "no:cacheprovider", "--tb=no", f"--timeout={longest}"]
    pytest.main([*options, *tests], plugins=[contexts])
    measure.stop()
    data = measure.get_data()
    lines = {
        str(Path(file).relative_to(ROOT)): {
            line: sorted({*names} - {"", *contexts.failed}) for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    own = ("dpcore", "tests", "pages", "coverage")
    modules = [name for name in sys.modules if "." not in name and name not in own and not name.startswith("_")]
    target.write_text(json.dumps({"lines": lines, "seconds": contexts.seconds, "modules": modules}))
