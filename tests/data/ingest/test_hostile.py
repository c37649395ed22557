"""Hostile files and random tables: any bytes give a valid data set or a sentence, never another exception."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpcore.data import Domain, display_name, load_csv, make_dataset, read_table, safe_csv
from dpcore.errors import DataError
from tests.refusals import check_sentence, refuses

CELLS = (
    "", "NA", "nan", "?", "-", ".", "0", "1", "-1", "3.14", "2,5", "1.234,56", "1,234.56", "1e308", "-1e308", "1e-320", "1e400",
    "inf", "-Infinity", "∞", "5e-324", "99999999999999999999", "0x1F", "1_000", "12%", "$5", "€ 3", "yes", "no", "TRUE",
    "2020-01-01", "31.12.1999", "12:30", "Jan 5, 2020", "abc", "naïve", "日本", "🙂", "a b c", "=1+1", "@x", "+5", "'", '"', '""',
    '"a', 'a"', '"a,b"', '"a\nb"', "<b>x</b>", "$x^2$", "\\frac{1}{2}", "%{y}", "[l](u)", ":red[x]", "\u202eabc", "\u200b",
    "\x1a", "\x0b", "\x85", "\u2028", " ", "\t", ";", "|", "1 234", "1'234", "−5", "१२३", "½", "x" * 300, "NULL", "None", "id", "y",
)  # fmt: skip
HEADERS = (
    "a", "b", "y", "id", "x", "a", "", " ", "=cmd|' /C calc'!A0", "<script>", "$\\alpha$", "Unnamed: 0", "é", "1", "y ", "a=1",
)  # fmt: skip
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "shift_jis", "cp037",
)  # fmt: skip
MAGIC = (
    b"", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", b"PAR1", b"%PDF-", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x00", b"{",
    b"<html>",
)  # fmt: skip
SEEDS = st.integers(0, 2**32)


@st.composite
def grids(draw) -> bytes:
    """Columns of numbers and of hostile cells under hostile names, with any separator, line ending and encoding."""
    numbers = st.floats(-1e9, 1e9).map("{:.4g}".format)
    kinds = draw(st.lists(st.sampled_from([numbers, numbers, numbers, st.sampled_from(CELLS)]), min_size=1, max_size=8))
    header = draw(st.lists(st.sampled_from(HEADERS), min_size=len(kinds), max_size=len(kinds)))
    rows = draw(st.lists(st.tuples(*kinds), min_size=2, max_size=30))
    separator, ending = (
        draw(st.sampled_from([",", ";", "\t", "|", " ", "::"])),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
    )
    return ending.join(map(separator.join, [header, *rows])).encode(draw(st.sampled_from(ENCODINGS)), "replace")


NOISE = st.builds(bytes.__add__, st.sampled_from(MAGIC), st.binary(max_size=200))


def check(data: bytes, seed: int = 0) -> str:
    """Read the bytes and make data sets of them; returns the first words of what happened."""
    rng = np.random.default_rng(seed)
    try:
        table = read_table(data)
    except DataError as error:
        return re.sub("[0-9]+", "…", check_sentence(error))[:32]
    assert table.n_rows >= 2
    assert table.names == tuple(table.frame.columns)
    safe_csv(table.frame.head(20))
    for name in table.names:
        assert len(display_name(name)) <= 60 * 8
    outcome = "table"
    for target in rng.choice(np.array(table.names, dtype=object), size=min(2, len(table.names)), replace=False):
        domain = (
            None
            if rng.random() < 0.2
            else Domain(
                row_norm=float(rng.choice([1e-300, 0.5, 1.0, 1e300])),
                target_bound=float(rng.choice([1e-300, 1.0, 1e300])),
                rows=str(rng.choice(["clip", "normalize"])),
                from_data=bool(rng.random() < 0.4),
            )
        )
        missing = str(rng.choice(["drop", "mean", "median", "zero"]))
        try:
            dataset = make_dataset(table, target, domain=domain, missing=missing, intercept=bool(rng.random() < 0.3))
        except DataError as error:
            check_sentence(error)
            continue
        outcome = "data set"
        assert np.isfinite(dataset.X).all()
        assert np.isfinite(dataset.y).all()
        assert dataset.n_samples + dataset.report.rows_dropped == table.n_rows == dataset.report.rows_read
        assert len(set(dataset.names)) == dataset.n_features
        if domain is not None:
            scale = domain.row_norm
            assert np.linalg.norm(dataset.X / scale, axis=1).max() <= 1 + 1e-12
            assert np.abs(dataset.y / domain.target_bound).max() <= 1
    return outcome


@pytest.mark.thorough
def test_hostile_files():
    outcomes: Counter = Counter()

    @settings(max_examples=700, deadline=None, suppress_health_check=list(HealthCheck))
    @given(grids() | NOISE, SEEDS)
    def each(data, seed):
        outcomes[check(data, seed)] += 1

    each()
    assert outcomes["data set"] > 70
    assert len(outcomes) > 12


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.binary(max_size=300)
    | st.builds(
        str.encode,
        st.text(alphabet='ab1.5,;|\t"\n\r -+eNA?%$=<', max_size=120),
        st.sampled_from(["utf-8", "utf-16", "cp1252"]),
    )
)
def test_any_bytes_and_any_text(data):
    check(data)


@pytest.mark.parametrize(
    "bad", [b"y\n", b"y,y\n1,1\n1,1\n", b"\xff\xfe", b"\xff\xfe\x00", b'"', b'"\n"', b"\r", b"\x1a", b",\n,\n,\n"]
)
def test_small_monsters(bad):
    check(bad, 1)
    refuses(DataError, ".", load_csv, bad, target="y")
