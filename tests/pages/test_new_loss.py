"""A loss is one file and one line of the registry: pseudo-Huber is named nowhere else and found wherever losses are chosen."""

from pathlib import Path

import pytest

import dpcore as dp
from dpcore.exhibits import training

ROOT = Path(__file__).resolve().parents[2]


def test_it_is_one_file_and_one_line():
    named = {}
    for path in [*(ROOT / "dpcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]:
        lines = [line for line in path.read_text().splitlines() if "pseudo" in line.lower() and "huber" in line.lower()]
        if lines:
            named[path.relative_to(ROOT / "dpcore").as_posix()] = lines
    assert named.pop("glm/losses/pseudo_huber.py")
    assert named == {"glm/losses/__init__.py": ['    "pseudo_huber",']}


@pytest.mark.parametrize("name", dp.LOSSES)
def test_scores_shown_are_those_of_the_loss(name):
    assert set(dp.LOSSES[name].scores) <= set(training.SCORES.values())
