"""`python -m tests.mutation.chosen [FAULTS] [NUMBER ...]`: named faults, each against named tests.

FAULTS (`tests/mutation/chosen.tsv` if not given: faults that tests once missed) has lines of `number`, `path`, what stands
there, the fault, and files or names of tests apart by spaces, all apart by tabs. Nothing on disk is changed.
"""

import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tests.mutation.__main__ import tried
from tests.mutation.mutants import ROOT, Mutant

_FAULTS = Path(__file__).with_name("chosen.tsv")
_SECONDS = 200  # of processor time for one fault
_THIRD_PARTIES = [
    "numpy", "scipy.optimize", "scipy.signal", "scipy.stats", "pandas", "pyarrow", "sklearn", "hypothesis",
]  # fmt: skip


def _fault(path: str, before: str, after: str) -> Mutant | None:
    """The fault; None where what it replaces does not stand there exactly once."""
    source = (ROOT / path).read_text(encoding="utf-8")
    if source.count(before) != 1:
        return None
    line = source[: source.index(before)].count("\n") + 1
    return Mutant(path, line, 0, "chosen", before, after, source.replace(before, after))


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
        fault = _fault(path, *(text.replace("\\n", "\n") for text in texts))
        verdict, test = tried(fault, {}, tests.split(), _SECONDS) if fault else ("gone", "")
        noticed.append(verdict in ("killed", "timeout"))
        print(
            f"{number}\t{verdict}\t{time.monotonic() - started:.0f} s\t{path}\t{texts[1].strip()}\t{test}", flush=True
        )
    print(f"{sum(noticed)} of {len(noticed)} noticed")
    return int(not all(noticed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
