"""Names and texts from strangers are shown literally and exported without formulas."""

from __future__ import annotations

import csv
import html
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data import display_name, safe_csv
from dpcore.data.names import quoted, unique_names

HOSTILE = (
    "<script>alert(1)</script>",
    "$$\\frac{1}{2}$$",
    "*a* _b_ `c` ~d~",
    "[text](https://example.org)",
    "![i](https://example.org/i.png)",
    ":red[x] :smile: :material/home:",
    "# heading",
    "1. item",
    "- item",
    "a|b",
    "%{x}",
    "&lt;b&gt;",
    "www.example.org",
    "mail@example.org",
    "=1+1",
    "\\(x\\)",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_display_name_is_literal(name):
    label = display_name(name)
    assert html.unescape(label).replace("\u200b", "") == name
    assert not re.search(r"https?://|www\.|@\w", html.unescape(label))  # renderers look for these after decoding
    assert not {"<", ">", "$", "*", "_", "`", "[", "]", "{", "}", "\\", "|", "@", "^", "~", "#"} & set(
        re.sub(r"&#\d+;", "", label)
    )


def test_ordinary_names_stay_as_they_are():
    assert display_name("mean radius, größe 2/5") == "mean radius, größe 2/5"


def test_long_and_invisible_names_are_shortened_and_cleaned():
    assert html.unescape(display_name("x" * 500)) == "x" * 59 + "…"
    assert html.unescape(display_name("a" * 9, limit=5)) == "aaaa…"
    assert display_name("a\u202eb\x00c\nd\u200be") == "a b c d e"


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_any_text_becomes_a_safe_label(text):
    label = display_name(text)
    assert not set("<>$*_`[]{}\\|@^~!\n\r\t") & set(label)
    assert not re.search(r"&(?!#\d+;)|:(?! )|(?<!&)#|(?i:www)\.|^ *(\d+[.)]|[-+=]+)( |$)", label)
    assert len(html.unescape(label).replace("\u200b", "")) <= 60
    assert not re.search(r"(?i)https?://|www\.|@\w", html.unescape(label))
    assert len(html.unescape(quoted(text))) <= 42


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_exports_disarm_formulas(start):
    texts = {f"{start}SUM(A1)": [f"{start}cmd|' /C calc'!A0", "plain"], "level": pd.Categorical([f"{start}x", "y"])}
    frame = pd.DataFrame({**texts, "number": [-1.5, 2.0], "whole": [-3, 4], "flag": [True, False]})
    rows = list(csv.reader(io.StringIO(safe_csv(frame).decode("utf-8"), newline="")))
    assert rows[0] == [f"'{start}SUM(A1)", "level", "number", "whole", "flag"]
    assert rows[1] == [f"'{start}cmd|' /C calc'!A0", f"'{start}x", "-1.5", "-3", "True"]
    assert rows[2] == ["plain", "y", "2.0", "4", "False"]


def test_exports_keep_missing_cells_numbers_in_objects_repeated_headers_and_the_frame():
    frame = pd.DataFrame({"a": ["=x", None], "b": np.array([-1, "-1"], dtype=object), "c": [float("nan"), 1.0]})
    frame.columns = ["=n", "b", "=n"]
    before = frame.copy(deep=True)
    assert safe_csv(frame) == b"'=n,b,'=n\r\n'=x,-1,\r\n,'-1,1.0\r\n"
    assert frame.equals(before)


def test_no_name_is_given_twice_however_names_are_numbered_already():
    assert unique_names(["a", "b", "a", "a (2)", "a"]) == (("a", "b", "a (3)", "a (2)", "a (4)"), ("a",))
