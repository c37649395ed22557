"""Plain text is shown as it is, whatever it holds; only templates written in the source are Markdown."""

import inspect
import re
from html import unescape

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.components import say
from pages.components.say import md
from pages.components.words import number, times
from tests.data.test_names import HOSTILE
from tests.test_architecture import SAY, calls, tree

SINKS = {
    call.args[0].value: {argument.value for argument in call.args[1:]}
    for call in calls(tree(SAY))
    if getattr(call.func, "id", "") == "_sink"
}


@pytest.mark.parametrize("text", HOSTILE)
def test_values_are_literal_in_a_template_and_beside_it(text):
    safe = say.shown(text)
    assert safe != text or not re.search(r"[*_`$<\[|#@]", text)
    assert unescape(safe).replace("\u200b", "") == text
    assert md("**{}** {name}", text, name=text) == f"**{safe}** {safe}"
    assert md("**a** ") + text == f"**a** {safe}"
    assert text + md("**a**") == f"{safe}**a**"
    assert md(", ").join([text, md("*b*")]) == f"{safe}, *b*"
    for mixed in (md("{}", text), md("a") + text, text + md("a"), md("").join([text])):
        assert say.shown(mixed) == mixed


def test_what_is_no_longer_markdown_is_made_literal():
    bold = md("**a**")
    assert say.shown(f"{bold}") == say.shown(bold.upper().lower()) == "&#42;&#42;a&#42;&#42;"


def test_numbers_follow_their_format_and_braces_stand_where_nothing_is_filled_in():
    assert md("{:,} {:.1f} {!r}", 12345, -0.25, 1) == "12,345 -0.2 1"
    assert md(r"$\frac{1}{2}$") == r"$\frac{1}{2}$"
    assert md("{!n}, {!t}", 2e-5, 2.44) == f"{number(2e-5)}, {times(2.44)}" == "2.0\u00a0×\u00a010⁻⁵, 2.4\u00a0×"


@pytest.mark.parametrize("name", SINKS)
def test_every_parameter_that_streamlit_renders_is_covered(name):
    """By Streamlit's own documentation, so that a new version with a new Markdown parameter is noticed."""
    text = inspect.cleandoc(getattr(st, name).__doc__).split("Examples\n---")[0]
    sections = re.split(r"\n(?=\w+ : )", text)[1:]
    rendered = {part.split(" : ")[0] for part in sections if "Markdown" in part or "markdown" in part.split("\n", 1)[0]}
    rendered -= {
        "options", "wrap", "anchors", "bind", "unsafe_allow_html", "format_func", "icon", "text_alignment", "anchor", "key",
        "width",
    }  # fmt: skip
    assert rendered <= SINKS[name]


def page():
    import pandas as pd

    from pages.components import say
    from tests.pages.components.test_say import WORD

    for sink in (say.caption, say.markdown, say.error, say.info, say.warning, say.success, say.title, say.subheader):
        sink(WORD)
    say.metric(WORD, WORD, WORD, help=WORD)
    say.button(WORD, help=WORD)
    say.toggle(WORD, help=WORD)
    say.selectbox(WORD, [WORD], help=WORD, key="box")
    say.multiselect(WORD, [WORD], key="many")
    say.radio(WORD, [WORD], captions=[WORD], key="radio")
    say.segmented_control(WORD, [WORD], key="segments")
    say.pills(WORD, [WORD], key="pills")
    say.select_slider(WORD, [WORD, "b"], key="steps")
    say.slider(WORD, 0, 1)
    say.number_input(WORD)
    say.text_input(WORD)
    say.expander(WORD)
    say.tabs([WORD])
    say.progress(0.5, WORD)
    say.download_button(WORD, b"")
    say.file_uploader(WORD)
    say.prose_table(pd.DataFrame({WORD: [WORD]}))
    with say.spinner(WORD):
        pass


WORD = "![t](http://host/x.png) :red[$a$] www.x.org"


def test_no_sink_hands_plain_text_to_a_renderer():
    app = AppTest.from_function(page).run()
    raw = [(type(element).__name__, str(element.proto)) for element in app.main if hasattr(element, "proto")]
    assert len(raw) > 20
    for kind, proto in raw:  # options of a box and of a multiple choice are plain text already
        assert WORD not in proto or kind in ("Selectbox", "Multiselect"), kind
    assert app.selectbox(key="box").options == app.multiselect(key="many").options == [WORD]
    assert app.selectbox(key="box").label == app.selectbox(key="box").help == say.shown(WORD)


def test_tables_are_plain_text_on_one_line_and_keep_numbers_and_repeated_headers():
    frame = pd.DataFrame([["a\u202eb\n c", 1.5], [None, 2.5]], columns=["x\u202ey", "x y"])
    shown = say._plain(frame)
    assert (list(shown.columns), shown.iloc[0].tolist()) == (["x y", "x y (2)"], ["a b c", 1.5])
    assert shown["x y (2)"].dtype == float
    assert frame.columns[0] == "x\u202ey"
