"""Every named fault still names a line that stands in the code, and tests that exist: one that does not is tried by nobody."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_named_fault_still_has_its_place():
    stale, numbers = [], []
    for line in Path(__file__).with_name("chosen.tsv").read_text(encoding="utf-8").splitlines():
        number, path, before, after, tests = line.split("\t")
        numbers.append(number)
        before, after = (text.replace("\\n", "\n") for text in (before, after))
        if before == after or not (ROOT / path).exists() or (ROOT / path).read_text("utf-8").count(before) != 1:
            stale.append((number, before))
        for test in tests.split():
            file, name = re.fullmatch(r"(.+?\.py)(?:::(\w+)(?:\[.+\])?)?", test).groups()
            if not (ROOT / file).exists() or (name and f"def {name}(" not in (ROOT / file).read_text("utf-8")):
                stale.append((number, test))
    assert stale == []
    assert len(numbers) == len(set(numbers))
