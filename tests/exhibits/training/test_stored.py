"""Stored releases are what the studies that a page opens with compute."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpcore.data import Domain
from dpcore.exhibits.training import LearnerComparison, stored
from dpcore.exhibits.training.published import algorithm_1, published_settings
from dpcore.exhibits.training.same_data import name_of
from dpcore.exhibits.training.stored import STORED, stored_points
from dpcore.learners import DPSGD, PublicFacts

FOLDER = Path(stored.__file__).parent / "releases"
STORED_NAMES = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["sha256"] for name in STORED}
ROWS = 400  # to test on at least: one that rounding moves to the other side is forgiven


def agrees(study: LearnerComparison) -> None:
    """Every release of a study is the stored one."""
    held = stored_points()
    for point in study.run():
        kept = held[point.key]
        assert (kept.repeat, kept.problem) == (point.repeat, point.problem)
        assert kept.epsilon == pytest.approx(point.epsilon, nan_ok=True)
        assert dict(kept.parameters) == pytest.approx(dict(point.parameters), rel=1e-6)
        assert (kept.excess, kept.bound) == pytest.approx((point.excess, point.bound), rel=1e-4, abs=1e-7, nan_ok=True)
        for name, value in point.scores.items():
            allowed = 1 / ROWS if name == "accuracy" else 1e-5
            assert kept.scores[name] == pytest.approx(value, abs=allowed, rel=1e-5), (point.name, name)


@pytest.mark.parametrize("name", STORED)
def test_every_release_of_its_studies_is_stored(name):
    for study in STORED[name]():
        assert not study.missing(stored_points())


@pytest.mark.parametrize("name", STORED)
def test_data_have_one_name_on_every_machine(name):
    """Their last bits differ between processors; a change that is seen in the fourth decimal makes other data of them."""
    dataset = STORED[name]()[0].dataset
    X = dataset.X * (1 + 1e-14 * np.sign(np.sin(np.arange(dataset.X.size))).reshape(dataset.X.shape))
    other = replace(dataset, X=X)
    assert other.sha256 != dataset.sha256
    assert name_of(other) == name_of(dataset) == STORED_NAMES[name]
    X = np.where(np.arange(X.size).reshape(X.shape) == 7, X - 1e-3 * np.sign(X), X)
    assert name_of(replace(dataset, X=X)) not in STORED_NAMES.values()


def some(study: LearnerComparison, repeats: int, *, slow: bool) -> LearnerComparison | None:
    """The part of a study whose learners take long, at its largest ε, or the other part."""
    learners = {name: one for name, one in study.learners.items() if isinstance(one, DPSGD) == slow}
    if not learners:
        return None
    return replace(study, learners=learners, repeats=repeats, epsilons=study.epsilons[-1:] if slow else study.epsilons)


@pytest.mark.parametrize("name", STORED)
def test_the_first_releases_are_those_stored(name):
    for study in STORED[name]():
        if part := some(study, 1, slow=False):
            agrees(replace(part, epsilons=part.epsilons[-1:]))


@pytest.mark.thorough
@pytest.mark.parametrize("name", STORED)
def test_all_releases_are_those_stored(name):
    for study in STORED[name]():
        for part in (some(study, study.repeats, slow=False), some(study, 1, slow=True)):
            if part is not None:
                agrees(part)


def test_releases_of_another_version_are_left_out(monkeypatch):
    assert list(stored._read("linear"))
    monkeypatch.setattr(stored, "VERSION", stored.VERSION + 1)
    assert not list(stored._read("linear"))


def test_what_is_missing_is_computed_and_written(monkeypatch, tmp_path):
    (study,) = STORED["linear"]()
    few = replace(study, learners={"output": study.learners["output"]}, epsilons=(1.0,), repeats=2)
    monkeypatch.setattr(stored, "STORED", {"few": lambda: (few,)})
    monkeypatch.setattr(stored, "files", lambda package: tmp_path)
    (tmp_path / "releases").mkdir()
    stored.main()
    assert {point.key for point in stored._read("few")} == {task.key for task in few.tasks()}
    agrees(few)


def test_the_published_settings_depend_on_no_size_of_the_data():
    sigma, lam = published_settings((0.5, 8.0))
    facts = PublicFacts(4800, 5001, Domain(row_norm=2**0.5))
    plans = [algorithm_1(epsilon=epsilon).plan(facts).parameters for epsilon in (0.5, 8.0)]
    assert sigma == pytest.approx([plan["sigma"] for plan in plans], rel=1e-12)
    assert lam == pytest.approx([plan["lam"] for plan in plans], rel=1e-12)
