"""What is slow is stored with the package, as it is computed."""

import dataclasses
from functools import partial

import numpy as np
import pytest

from dpcore.exhibits.gallery import EXHIBITS, shown_of
from dpcore.exhibits.gallery import stored as module
from dpcore.exhibits.gallery.figure import still_picture
from dpcore.exhibits.gallery.stored import record_of, stored

SLOW = {key: one for key, one in EXHIBITS.items() if one.is_slow and not one.missing}
FIRST = {one.work: key for key, one in reversed(SLOW.items())}  # of each work the first


@pytest.mark.parametrize("key", SLOW)
def test_every_slow_exhibit_is_stored_by_the_call_that_makes_it_now(key):
    shown = stored(key)
    assert shown.drawing.strokes
    assert "<svg" in still_picture(shown.drawing, "light")


def test_one_that_would_be_made_otherwise_is_not_shown(monkeypatch):
    one = SLOW["wang-fig-2-left"]
    other = dataclasses.replace(one, make=partial(one.make.func, **{**one.make.keywords, "seed": 2}))
    monkeypatch.setitem(module.EXHIBITS, one.key, other)
    assert stored(one.key) is stored("redberg-fig-1-left") is None  # the second is quick


def test_what_is_written_is_read_back(monkeypatch):
    key = "redberg-table-5"
    shown = shown_of(key)
    monkeypatch.setattr(module, "_records", lambda: {key: record_of(key, shown)})
    same(stored(key), shown)


@pytest.mark.thorough
@pytest.mark.parametrize("work", FIRST)
def test_it_is_what_is_computed(work):
    same(stored(FIRST[work]), shown_of(FIRST[work]))


def same(one, other) -> None:
    assert vars(one.drawing) | {"strokes": ()} == vars(other.drawing) | {"strokes": ()}
    for a, b in zip(one.drawing.strokes, other.drawing.strokes, strict=True):
        assert (a.name, a.look, a.role, a.error is None) == (b.name, b.look, b.role, b.error is None)
        np.testing.assert_allclose(a.x, b.x, rtol=1e-5)
        np.testing.assert_allclose(a.y, b.y, rtol=1e-4, atol=1e-12)
    assert [(check.what, check.holds) for check in one.checks] == [(check.what, check.holds) for check in other.checks]
