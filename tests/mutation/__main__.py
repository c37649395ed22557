"""`python -m tests.mutation [--sample 300] [--seed 0]`: each sampled fault against the tests that reach its line.

Nothing on disk is changed: a fault exists only in the memory of a child process, as the source its import finds.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

from tests.mutation import reach
from tests.mutation.mutants import ROOT, Mutant, sample

FOLDERS = ["dpcore/mechanisms", "dpcore/accountants", "dpcore/individual", "dpcore/audit"]
TESTS = ["mechanisms", "accountants", "individual", "audit", "profiles", "calibration", "exhibits", "interfaces"]
_QUIET = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # third parties are imported once, before the children


class _Fault(MetaPathFinder, SourceFileLoader):
    """Finds the faulty source instead of the module's own."""

    def __init__(self, mutant: Mutant):
        SourceFileLoader.__init__(self, mutant.module, str(ROOT / mutant.path))
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        if name != self.mutant.module:
            return None
        inside = [str((ROOT / self.mutant.path).parent)] if self.mutant.path.endswith("__init__.py") else None
        return spec_from_file_location(name, self.path, loader=self, submodule_search_locations=inside)

    def get_code(self, fullname):
        return compile(self.mutant.source, self.path, "exec", dont_inherit=True)


class _Only:
    """Keeps the named tests (all where none is named), the fastest first, and remembers which one failed."""

    def __init__(self, order: dict[str, float]):
        self.order, self.failed = order, ""

    def pytest_collection_modifyitems(self, items):
        if self.order:
            items[:] = sorted(
                (item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid]
            )

    def pytest_runtest_logreport(self, report):
        if report.failed and not self.failed:
            self.failed = report.nodeid


def _child(mutant: Mutant, order: dict[str, float], files: list[str], seconds: int, answer: int) -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    sys.meta_path.insert(0, _Fault(mutant))
    only = _Only(order)
    code = pytest.main(["-x", "-q", "-m", "", "-p", "no:cacheprovider", *_QUIET, *files], plugins=[only])
    os.write(answer, json.dumps([int(code), only.failed]).encode())


def _forked(work) -> tuple[int, int]:
    """A child that does `work(pipe)` and leaves; its process number and the pipe's other end."""
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        return child, read
    try:
        work(write)
    finally:
        os._exit(0)


def tried(mutant: Mutant, order: dict[str, float], files: list[str], seconds: int) -> tuple[str, str]:
    """("killed" | "timeout" | "survived", the test that noticed), by the named tests of these files or all of them."""
    child, pipe = _forked(lambda answer: _child(mutant, order, files, seconds, answer))
    _, status = os.waitpid(child, 0)
    with os.fdopen(pipe, "rb") as stream:
        told = stream.read()
    if os.WIFSIGNALED(status):
        return "timeout", ""
    code, failed = json.loads(told) if told else (1, "the interpreter")
    return ("survived", "") if code in (0, pytest.ExitCode.NO_TESTS_COLLECTED) else ("killed", failed or "import")


def _tried(mutant: Mutant, order: dict[str, float]) -> tuple[str, str]:
    if not order:
        return "unreached", ""
    files = list(dict.fromkeys(name.split("::")[0] for name in order))
    return tried(mutant, order, files, int(15 + 4 * sum(order.values())))


def _order(mutant: Mutant, known: dict, budget: float) -> dict[str, float]:
    """The tests that reach the mutant's line (its module, where only importing does), fastest first within the budget."""
    lines, seconds = known["lines"].get(mutant.path, {}), known["seconds"]
    names = lines.get(str(mutant.line)) or sorted({name for some in lines.values() for name in some})
    chosen: dict[str, float] = {}
    for name in sorted(names, key=seconds.__getitem__):
        if sum(chosen.values()) + seconds[name] > budget and chosen:
            break
        chosen[name] = seconds[name]
    return chosen


def _known(options: argparse.Namespace) -> dict:
    """What reaches what, measured once per folder of tests and kept."""
    known: dict = {"lines": {}, "seconds": {}, "modules": []}
    for tests in options.tests:
        target = options.work / f"{tests.replace('/', '.')}.json"
        if not target.exists():
            child, _ = _forked(
                lambda _, tests=tests, target=target: reach.write(options.folders, [tests], options.longest, target)
            )
            os.waitpid(child, 0)
        found = json.loads(target.read_text())
        known["seconds"] |= found["seconds"]
        known["modules"] += found["modules"]
        for file, lines in found["lines"].items():
            for line, names in lines.items():
                known["lines"].setdefault(file, {}).setdefault(line, []).extend(names)
    return known


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=120.0, help="seconds of tests for one mutant")
    parser.add_argument("--longest", type=float, default=4.0, help="seconds; slower tests are not used")
    parser.add_argument("--folders", nargs="+", default=FOLDERS)
    parser.add_argument("--tests", nargs="+", default=[f"tests/{name}" for name in TESTS])
    parser.add_argument("--work", type=Path, default=ROOT / "artifacts" / "mutation")
    options = parser.parse_args(words)
    options.work.mkdir(parents=True, exist_ok=True)
    known = _known(options)
    for name in known["modules"]:
        with suppress(Exception):
            import_module(name)
    count: Counter = Counter()
    mutants = sample(options.folders, options.sample, options.seed)
    for mutant in mutants[:1]:
        sound = replace(mutant, source=(ROOT / mutant.path).read_text(encoding="utf-8"))
        if _tried(sound, _order(sound, known, options.budget))[0] == "killed":
            print("the tests fail without a fault: make them pass, or delete what was measured")
            return 1
    for number, mutant in enumerate(mutants, 1):
        started = time.monotonic()
        verdict, test = _tried(mutant, _order(mutant, known, options.budget))
        count[verdict] += 1
        print(f"{number} {verdict} {time.monotonic() - started:.0f} s  {mutant}  {test}", flush=True)
    killed = count["killed"] + count["timeout"]
    print(f"{killed} of {count.total()} noticed ({killed / max(1, count.total()):.1%}): {dict(count)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
