"""`python -m tests.mutation.chosen [FAULTS] [NUMBER ...]`: named faults, each against named tests.

FAULTS (`tests/mutation/chosen.tsv` if not given: faults that tests once missed) has lines of `number`, `path`, what stands
there, the fault, and files or names of tests apart by spaces, all apart by tabs. Nothing on disk is changed: a fault exists
only in the memory of a child process, as the source its import finds.
"""

import os
import resource
import sys
import time
from contextlib import suppress
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FAULTS = Path(__file__).with_name("chosen.tsv")
_SECONDS = 200  # of processor time for one fault
_THIRD_PARTIES = [  # imported once, before the children
    "numpy", "scipy.optimize", "scipy.signal", "scipy.stats", "pandas", "pyarrow", "sklearn", "hypothesis",
]  # fmt: skip
_QUIET = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


class _Fault(MetaPathFinder, SourceFileLoader):
    """Finds the faulty source instead of the module's own."""

    def __init__(self, path: str, source: str):
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        SourceFileLoader.__init__(self, module, str(ROOT / path))
        self.source = source

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        inside = [str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None
        return spec_from_file_location(name, self.path, loader=self, submodule_search_locations=inside)

    def get_code(self, fullname):
        return compile(self.source, self.path, "exec", dont_inherit=True)


def _child(fault: _Fault, tests: list[str]) -> int:
    """The code with which these tests end where the fault is found."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    sys.meta_path.insert(0, fault)
    return pytest.main(["-x", "-m", "", *_QUIET, *tests])


def _tried(path: str, before: str, after: str, tests: list[str]) -> str:
    """Whether the tests notice; "gone" where what is replaced does not stand there exactly once."""
    source = (ROOT / path).read_text(encoding="utf-8")
    if source.count(before) != 1:
        return "gone"
    child = os.fork()
    if not child:
        try:
            code = _child(_Fault(path, source.replace(before, after)), tests)
        except BaseException:
            code = pytest.ExitCode.INTERNAL_ERROR
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "timeout"
    nothing_failed = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return "survived" if os.WEXITSTATUS(status) in nothing_failed else "killed"


def main(words: list[str]) -> int:
    faults = Path(words.pop(0)) if words and not words[0].isdigit() else _FAULTS
    rows = [line.split("\t") for line in faults.read_text(encoding="utf-8").splitlines() if line.strip()]
    for name in _THIRD_PARTIES:
        with suppress(ImportError):
            import_module(name)
    noticed = []
    for number, path, *texts, tests in rows:
        if words and number not in words:
            continue
        started = time.monotonic()
        before, after = (text.replace("\\n", "\n") for text in texts)
        verdict = _tried(path, before, after, tests.split())
        noticed.append(verdict in ("killed", "timeout"))
        print(f"{number}\t{verdict}\t{time.monotonic() - started:.0f} s\t{path}\t{texts[1].strip()}", flush=True)
    print(f"{sum(noticed)} of {len(noticed)} noticed")
    return int(not all(noticed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
