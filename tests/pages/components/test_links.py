"""A link made by hand: what a control cannot take is dropped with a sentence that names the control, and nothing raises."""

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.data.samples import SAMPLES
from tests.pages.tabs import run

BAD = [
    *["inf", "-inf", "1e400", "nan", "zz", "2.5", "99", "-1", "0x2", "![t](http://h/x.png)", "None"], "", " ", "9" * 400,
    "a\nb",
]  # fmt: skip
DEFAULTS = {
    "number": 2, "decimal": 0.5, "whole": 3, "range": (0.2, 0.8), "steps": 2, "one": "a", "box": "p", "several": ["u"],
    "many": [], "flag": False, "text": "1,2", "radio": "r",
}  # fmt: skip


def page():
    import streamlit as st

    from pages.components import say
    from tests.pages.components.test_links import DEFAULTS

    keep = {"bind": "query-params", "persist_state": "session"}
    named = {"format_func": {"a": "a", "b": "bee"}.get, "former": {"wasp": "b"}, "default": "a", "required": True}
    st.session_state["found"] = {
        "number": say.number_input("number", 1, 6, 2, key="number", **keep),
        "decimal": say.slider("decimal", 0.0, 1.0, 0.5, step=0.1, key="decimal"),
        "whole": say.slider("whole", 0, 10, 3, key="whole", **keep),
        "range": say.slider("range", 0.0, 1.0, (0.2, 0.8), key="range", **keep),
        "steps": say.select_slider("steps", [1, 2, 3], value=2, key="steps", **keep),
        "one": say.segmented_control("one", ["a", "b"], key="one", **named, **keep),
        "box": say.selectbox("box", ["p", "q"], key="box", **keep),
        "several": say.pills("several", ["u", "v", "w"], selection_mode="multi", default=["u"], key="several", **keep),
        "many": say.multiselect("many", ["u", "v"], key="many", **keep),
        "flag": say.toggle("flag", key="flag", **keep),
        "text": say.text_input("text", "1,2", max_chars=40, key="text", **keep),
        "radio": say.radio("radio", ["r", "s"], key="radio", **keep),
    }
    assert set(DEFAULTS) == set(st.session_state["found"])


def opened(**link) -> tuple[AppTest, dict, dict[str, str]]:
    """The page at this link; its values, and what is said about each control."""
    app = AppTest.from_function(page, default_timeout=30)
    app.query_params.update(link)
    app.run()
    said = dict(unescape(block.value).split(": the link asks for ", 1) for block in app.warning)
    return app, app.session_state["found"], said


@pytest.mark.parametrize("bad", BAD)
def test_what_a_control_cannot_take_is_dropped_and_named(bad):
    app, found, said = opened(**dict.fromkeys(DEFAULTS, bad))
    for key, value in found.items():
        if bad == "" and key in ("several", "many"):
            assert (value, key in said) == ([], False)  # an empty choice is one
        elif key == "text" and len(bad) <= 40:
            assert (value, key in said) == (bad, False)
        else:
            assert (value, key in said, key in app.query_params) == (DEFAULTS[key], True, False), key
            assert said[key].endswith("; the default is used.")


@pytest.mark.parametrize(("link", "value", "reason"), [
    ({"range": "0.5"}, (0.2, 0.8), "is the wrong number of values, 1 instead of 2"),
    ({"range": ["0.9", "0.1"]}, (0.2, 0.8), "is not in order"),
    ({"box": ["q", "q"]}, "p", "is the wrong number of values, 2 instead of 1"),
    ({"number": "7"}, 2, "does not lie between 1 and 6"),
])  # fmt: skip
def test_the_sentence_says_what_is_wrong(link, value, reason):
    (key,) = link
    _, found, said = opened(**link)
    assert found == DEFAULTS | {key: value}
    assert (list(said), reason in said[key]) == ([key], True)


def test_the_good_part_of_a_link_is_kept():
    link = {"steps": "3", "number": "4", "one": "b", "flag": "true", "text": "7,8", "whole": "5"}
    _, found, said = opened(several=["v", "zz", "w"], **link)
    assert said == {"several": "'zz', which is not among the choices; it is left out."}
    assert [found[key] for key in ("several", *link)] == [["v", "w"], 3, 4, "b", True, "7,8", 5]


@pytest.mark.parametrize("name", ["bee", "b", "wasp"])
def test_a_link_names_an_option_as_shown_by_its_key_or_by_an_earlier_name(name):
    app, found, said = opened(one=name)
    assert (found["one"], said, app.query_params["one"]) == ("b", {}, "bee")


MESSY = {"source": SAMPLES["messy"].title, "pi_kind": "Output perturbation"}


@pytest.mark.parametrize(("page", "link", "key", "value"), [
    ("sources/gallery", {"ga_source": "Per-instance privacy"}, "ga_source", "wang-2019"),
    ("sources/errata", {"er_record": "Lemma 4 · pdp-lemma4"}, "er_record", "pdp-lemma4"),
    ("your_data/per_instance", MESSY | {"pi_shape": "XᵀX (frozen)"}, "pi_shape", "gram"),
])  # fmt: skip
def test_a_link_by_a_former_name_opens_what_it_named(page, link, key, value):
    app = run(page, link=link)
    assert not app.warning
    assert app.session_state[key] == value


@pytest.mark.parametrize("written", ["10\u202f000", "10000", "10⁴"])
def test_a_count_is_found_as_written_now_and_before(written):
    def counted():
        from pages.components import controls

        assert controls.count_slider("n", 20_000, 5, key="n") == 10_000

    app = AppTest.from_function(counted, default_timeout=30)
    app.query_params["n"] = written
    app.run()
    assert not app.warning


def test_the_sentence_stays_until_something_is_chosen_and_the_control_is_bound_again():
    app, *_ = opened(steps="zz")
    app.run()
    assert len(app.warning) == 1
    for value in (3, 2):
        app.select_slider(key="steps").set_value(value).run()
        assert not app.warning
        assert app.select_slider(key="steps").proto.query_param_key == "steps"
