"""Hostile files: any bytes give a valid data set or a sentence, never another exception."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter

import numpy as np

from dpcore.data import SAMPLES, Domain, display_name, make_dataset, read_table, safe_csv
from dpcore.errors import DataError
from tests.refusals import check_sentence

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
    "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "shift_jis", "cp037",
)  # fmt: skip
MAGIC = (
    b"", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", b"PAR1", b"%PDF-", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x00", b"{",
    b"<html>",
)  # fmt: skip
SEEDS = ("messy", "diabetes")


def grid(rng: np.random.Generator) -> bytes:
    """A rectangular or ragged text of hostile cells in some encoding."""
    width, height = int(rng.integers(1, 9)), int(rng.integers(0, 30))
    separator = str(rng.choice([",", ";", "\t", "|", " ", "::"]))
    ending = str(rng.choice(["\n", "\r\n", "\r"]))
    tame = rng.random() < 0.6
    pools = [list(rng.choice(CELLS, size=int(rng.integers(1, 6)))) for _ in range(width)]
    numbers = [f"{x:.4g}" for x in rng.normal(size=8)]
    pools = [pool if rng.random() < 0.4 else (numbers + pool[:1] if rng.random() < 0.3 else numbers) for pool in pools]
    rows = [list(rng.choice(HEADERS, size=width))] if rng.random() < 0.9 else []
    for _ in range(height):
        ragged = int(rng.integers(-1, 2)) if rng.random() < 0.01 else 0
        rows.append([str(pools[j % width][rng.integers(len(pools[j % width]))]) for j in range(max(width + ragged, 1))])
    if tame and len(separator) == 1:
        sink = io.StringIO(newline="")
        csv.writer(sink, delimiter=separator, lineterminator=ending).writerows(rows)
        text = sink.getvalue()
    else:
        text = ending.join(separator.join(row) for row in rows) + (ending if rng.random() < 0.8 else "")
    return text.encode(str(rng.choice(ENCODINGS)), "replace")


def noise(rng: np.random.Generator) -> bytes:
    """Random bytes, over the whole range or over the characters that matter to a parser."""
    size = int(rng.integers(0, 200))
    if rng.random() < 0.5:
        return MAGIC[rng.integers(len(MAGIC))] + rng.bytes(size)
    return bytes(rng.choice(np.frombuffer(b'0123456789.,;\t|"\n\r eE-+abNAn\x00\xff\xe9', dtype=np.uint8), size=size))


def mutation(rng: np.random.Generator, seeds: list[bytes]) -> bytes:
    """A sample file with bytes flipped, removed, repeated, inserted, or cut off."""
    data = bytearray(seeds[rng.integers(len(seeds))])
    for _ in range(int(rng.integers(1, 6))):
        start = int(rng.integers(0, max(len(data), 1)))
        stop = min(len(data), start + int(rng.integers(1, 40)))
        kind = int(rng.integers(6))
        if kind == 0 and len(data):
            data[start] = int(rng.integers(256))
        elif kind == 1:
            del data[start:stop]
        elif kind == 2:
            data[start:start] = data[start:stop]
        elif kind == 3:
            data[start:start] = str(rng.choice(CELLS)).encode()
        elif kind == 4:
            del data[start:]
        else:
            data[start:start] = bytes(rng.choice(np.frombuffer(b'",;\n\r\t\x00', dtype=np.uint8), size=2))
    return bytes(data)


def hostile(rng: np.random.Generator, seeds: list[bytes]) -> bytes:
    """One hostile file."""
    kind = rng.random()
    return grid(rng) if kind < 0.55 else noise(rng) if kind < 0.75 else mutation(rng, seeds)


def domain_for(rng: np.random.Generator) -> Domain | None:
    """One of several ways to state a domain."""
    if rng.random() < 0.2:
        return None
    return Domain(
        row_norm=float(rng.choice([1e-300, 0.5, 1.0, 1e300])),
        target_bound=float(rng.choice([1e-300, 1.0, 1e300])),
        rows=str(rng.choice(["clip", "normalize"])),
        from_data=bool(rng.random() < 0.4),
    )


def check(data: bytes, rng: np.random.Generator) -> str:
    """Read the bytes and make data sets of them; returns the first words of what happened."""
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
        domain = domain_for(rng)
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


def run(cases: int, seed: int = 0) -> Counter:
    """Check so many hostile files; raises at the first that is handled badly."""
    seeds = [SAMPLES[key].path.read_bytes()[:4000] for key in SEEDS]
    outcomes: Counter = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for case in range(cases):
            rng = np.random.default_rng([seed, case])
            data = hostile(rng, seeds)
            try:
                outcomes[check(data, rng)] += 1
            except Exception as error:
                raise AssertionError(f"case {case} of seed {seed}: {data[:300]!r} …") from error
    return outcomes
