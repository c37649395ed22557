"""Hostile files and random tables: a valid data set or a sentence, nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpcore.data import load_csv
from dpcore.errors import DataError
from tests.data.ingest import fuzz
from tests.refusals import refuses


@pytest.mark.thorough
def test_a_corpus_of_hostile_files():
    outcomes = fuzz.run(700, seed=20240101)
    assert sum(outcomes.values()) == 700
    assert outcomes["data set"] > 70
    assert len(outcomes) > 12


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300))
def test_any_bytes(data):
    fuzz.check(data, np.random.default_rng(0))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet='ab1.5,;|\t"\n\r -+eNA?%$=<', max_size=120), st.sampled_from(["utf-8", "utf-16", "cp1252"]))
def test_any_text(text, encoding):
    fuzz.check(text.encode(encoding), np.random.default_rng(0))


@pytest.mark.parametrize(
    "bad", [b"y\n", b"y,y\n1,1\n1,1\n", b"\xff\xfe", b"\xff\xfe\x00", b'"', b'"\n"', b"\r", b"\x1a", b",\n,\n,\n"]
)
def test_small_monsters(bad):
    fuzz.check(bad, np.random.default_rng(1))
    refuses(DataError, ".", load_csv, bad, target="y")
