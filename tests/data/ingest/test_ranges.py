"""A file of public ranges: what it says, what is wrong with it, and that it comes back as it was written."""

import io

import pytest

import dpcore as dp
from dpcore.data import SAMPLES, write_ranges
from dpcore.data.ingest.ranges import MAX_RANGES_BYTES, parse_range, read_ranges
from dpcore.data.samples import FOLDER
from tests.refusals import refuses


def test_ranges_of_the_sample_are_those_it_is_loaded_with():
    assert dp.read_ranges(FOLDER / "diabetes_ranges.csv") == SAMPLES["diabetes"].domain.ranges
    domain = dp.Domain(rows="normalize", ranges=dp.read_ranges(str(FOLDER / "diabetes_ranges.csv")))
    assert dp.load_csv(FOLDER / "diabetes.csv", "progression", domain=domain) == dp.load_sample("diabetes")


GOOD = {
    "plain": b"column,low,high\nage,0,120\npay,-1e3,2.5e6\n",
    "semicolons and commas": "column;low;high\nage;0;120,0\npay;−1000,0;2500000\n".encode(),
    "tabs, a mark, spaces and capitals": b"\xef\xbb\xbf Column\tLOW\thigh \r\n age \t0\t 120\r\n\r\npay\t-1000\t2500000",
    "empty lines": b"column,low,high\nname,,\nage,0,120\n,,\npay,-1000,2500000\nother, ,\n",
}


@pytest.mark.parametrize("case", GOOD)
def test_ranges_are_read_however_they_were_saved(case):
    expected = {"age": (0.0, 120.0), "pay": (-1000.0, 2.5e6)}
    assert read_ranges(GOOD[case]) == expected
    assert read_ranges(io.BytesIO(GOOD[case])) == expected


BAD = {
    "empty": (b"", "file is empty"),
    "no low end": (b"column,low,high\na,1,2\nage,,120\n", "The low end of 'age' in line 3 of the ranges is missing"),
    "a word": (b"column,low,high\nage,young,120\n", "The low end of 'age' in line 2 .* must be a number, got 'young'"),
    "upside down": (b"column,low,high\nage,120,0\n", "must have low < high, but holds 120 and 0"),
    "twice": (b"column,low,high\nage,0,1\nage,0,2\n", "'age' stands in the ranges twice, again in line 3"),
    "open quote": (b'column,low,high\n"age,0,1\n', "cannot be read in line 2"),
    "a comma for a point": (b"column,low,high\nage,0,1,5\n", "Line 2 of the ranges has 4 cells"),
    "huge": (b"column,low,high\n" + b"a" * MAX_RANGES_BYTES, "at most 4 MB"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_a_file_of_ranges_is_a_sentence(case):
    content, sentence = BAD[case]
    refuses(dp.DataError, sentence, read_ranges, content)


def test_ranges_come_back_as_they_were_written():
    ranges = {"=cmd()": (0.1, 1 / 3), "-x": (-5.0, 1e300), 'a "b", c': (0.0, 2.0), "ä": (1.0, 2.0)}
    content = write_ranges(ranges, ["not stated", "ä"])
    assert read_ranges(content) == ranges
    lines = content.decode().splitlines()
    assert lines[:3] == ["column,low,high", "not stated,,", "ä,1.0,2.0"]
    assert not any(line.startswith(("=", "-")) for line in lines)


def test_a_range_as_one_text():
    assert parse_range("a=b=-1:2.5") == ("a=b", (-1.0, 2.5))
    for text in ("a", "=1:2", "a=1", "a=1:2:3", "a=x:1"):
        refuses(dp.ParameterError, "must read NAME=LOW:HIGH", parse_range, text)
