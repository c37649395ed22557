"""`python -m tests.mutation.chosen FAULTS [NUMBER ...]`: named faults, each against whole files of tests.

FAULTS is a file of lines `number <tab> path <tab> what stands there <tab> the fault <tab> tests`, the tests apart by spaces.
"""

import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tests.mutation.__main__ import tried
from tests.mutation.mutants import ROOT, Mutant

_SECONDS = 200  # of processor time for one fault
_THIRD_PARTIES = (
    "numpy",
    "scipy.optimize",
    "scipy.signal",
    "scipy.stats",
    "pandas",
    "pyarrow",
    "sklearn",
    "hypothesis",
)


def _fault(path: str, before: str, after: str) -> Mutant:
    source = (ROOT / path).read_text(encoding="utf-8")
    if source.count(before) != 1:
        raise SystemExit(f"{path}: {before!r} stands there {source.count(before)} times, not once")
    line = source[: source.index(before)].count("\n") + 1
    return Mutant(path, line, 0, "chosen", before, after, source.replace(before, after))


def main(words: list[str]) -> int:
    rows = [line.split("\t") for line in Path(words[0]).read_text(encoding="utf-8").splitlines() if line.strip()]
    for name in _THIRD_PARTIES:
        with suppress(ImportError):
            import_module(name)
    survived = 0
    for number, path, *fault, tests in rows:
        before, after = (text.replace("\\n", "\n") for text in fault)
        if not words[1:] or number in words[1:]:
            started = time.monotonic()
            verdict, test = tried(_fault(path, before, after), {}, tests.split(), _SECONDS)
            survived += verdict == "survived"
            print(
                f"{number}\t{verdict}\t{time.monotonic() - started:.0f} s\t{path}\t{after.strip()}\t{test}", flush=True
            )
    return survived


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
