"""The address holds the state of a page: it sets the controls, and it is changed when a control is changed.

A bad part of an address is removed, and a note says so. A control at its default is left out, so a page in its initial
state has an address without parameters.
"""

import math
import re
from collections.abc import Iterable, Mapping
from inspect import Signature
from typing import Any

import streamlit as st

from dpcore.data.names import quoted
from pages.server import address

_HASH = re.compile("_[0-9a-f]{12}(_|$)")  # hash of the reader's data in the key of a control that belongs to these data
_PLACE = "link_place"  # key of the page, and of the step of a lecture, that the last run showed
_GIVEN = "link_given"  # key of the controls that a page has set on the page which it opens
# Key of the controls that have been set since a page was opened by its address; all others are at their defaults.
_OPENED = "link_opened"
_CHOICES = ("multiselect", "pills", "segmented_control", "radio", "selectbox", "select_slider", "tabs")
_NOTES = "link_notes"  # key of the notes: key of a control → the sentence, and the value used instead


def held(key: str, signature: Signature) -> dict[str, str]:
    """Streamlit's options for keeping a control's value.

    A control about the reader's own data, which has their hash in its key, is in no address.
    """
    by = {"bind": None if _HASH.search(key) else "query-params", "persist_state": "session"}
    return {name: value for name, value in by.items() if name in signature.parameters}


def review(kind: str, given: Mapping[str, Any], former: Mapping[str, Any] | None = None) -> str | None:
    """What was wrong with the address's value for this control, as the end of a sentence, until a new value is chosen.

    `given` holds the arguments of Streamlit's function; `former` maps names in old links to options. A bad value is
    removed from the address, and the page runs again. An option may be written as itself or as the text that is shown.
    """
    key = given["key"]
    _open(key)
    if key not in st.session_state and key in st.query_params:
        values = st.query_params.get_all(key)
        if kind in _CHOICES and (named := _named(given, former or {}, values)) != values:
            address.write(key, named)
            st.rerun()
        bad, reason = _bad(kind, given, values)
        if bad:
            _drop(key, values, bad, reason)
    notes = st.session_state.get(_NOTES, {})
    if key in notes and key in st.session_state and st.session_state[key] != notes[key].get("value"):
        del notes[key]
    return notes[key]["said"] if key in notes else None


def _named(given: Mapping[str, Any], former: Mapping[str, Any], values: list[str]) -> list[str]:
    """The values of an address, written as the control writes them."""
    write = given.get("format_func", str)
    names = {str(option): str(write(option)) for option in _options(given)}
    earlier = {name: names[str(option)] for name, option in former.items()}
    return [value if value in names.values() else names.get(value, earlier.get(value, value)) for value in values]


def arrive(place: object) -> None:
    """Note the page, or step of the lecture, that this run shows.

    If it is another one than in the last run and its address has parameters, controls that the address leaves out lose
    their old values.
    """
    before, given = st.session_state.get(_PLACE, place), st.session_state.pop(_GIVEN, None)
    st.session_state[_PLACE] = place
    if before != place:
        st.session_state[_OPENED] = set() if given is None and st.query_params else given


def _open(key: str) -> None:
    """Forget the value that a control had before its page was opened by an address."""
    opened = st.session_state.get(_OPENED)
    if opened is not None and key not in opened:
        opened.add(key)
        if key in st.session_state:
            del st.session_state[key]


def give(state: Mapping[str, Any], *, leaving: bool = False) -> None:
    """Set controls of this page, or (`leaving`) of the page opened next, whose other controls get their defaults."""
    st.session_state.update(state)
    if leaving:
        st.session_state[_GIVEN] = set(state)
    if st.session_state.get(_OPENED) is not None:
        st.session_state[_OPENED] |= set(state)


def keep(kind: str, given: Mapping[str, Any], before: list[str]) -> None:
    """Write the value of a control into the address, or remove it if it is the default.

    Streamlit does this when a reader moves a control, but not when a program sets it before it is first shown. `before`
    is what the address contained before the control was made.
    """
    key, value = given["key"], st.session_state[given["key"]]
    wanted = [] if value == _default(kind, given) else _written(kind, given, value)
    if not _same(kind, st.query_params.get_all(key), wanted) or (before and not wanted):
        address.write(key, wanted)


def _same(kind: str, one: list[str], other: list[str]) -> bool:
    """Whether two values are the same; for a number 10 and 10.0 are."""
    if kind in ("slider", "number_input") and len(one) == len(other):
        return [float(value) for value in one] == [float(value) for value in other]
    return one == other


def _default(kind: str, given: Mapping[str, Any]) -> Any:
    """The value of a control that nobody has set."""
    if kind in ("radio", "selectbox"):
        index = given.get("index", 0)
        return None if index is None else list(given["options"])[index]
    if kind in ("select_slider", "tabs"):
        return given.get("value", next(iter(_options(given))))
    if kind in _CHOICES:
        several = kind == "multiselect" or given.get("selection_mode") == "multi"
        return list(given.get("default") or []) if several else given.get("default")
    return given.get("value", {"toggle": False, "text_input": ""}.get(kind, given.get("min_value")))


def _options(given: Mapping[str, Any]) -> Iterable[Any]:
    """The options of a control; for tabs, their titles."""
    return given["tabs"] if "tabs" in given else given["options"]


def _written(kind: str, given: Mapping[str, Any], value: Any) -> list[str]:
    """A control's value as it is written in an address; an emptied control is an empty word."""
    if value is None or value == []:
        return [""]
    if kind == "toggle":
        return [str(value).lower()]
    write = given.get("format_func", str)
    return [str(write(one)) for one in (value if isinstance(value, (list, tuple)) else [value])]


def lead(key: str, places: Mapping[str, Mapping[str, str]]) -> None:
    """If an address or a program asks this control for an old value, set the controls that have this value now."""
    _open(key)
    asked = st.session_state.get(key, st.query_params.get(key))
    if asked in places:
        for name, value in places[asked].items():
            address.write(name, [value])
        give(places[asked])


def remember(key: str) -> None:
    """Remember the value that a control has instead of a bad one; the note stays until another value is chosen."""
    st.session_state[_NOTES][key]["value"] = st.session_state[key]


def _drop(key: str, values: list[str], bad: list[str], reason: str) -> None:
    left = [value for value in values if value not in bad]
    end = "it is left out" if left else "the default is used"
    said = f"{', '.join(quoted(value) for value in bad[:3])}, which {reason}; {end}"
    st.session_state.setdefault(_NOTES, {})[key] = {"said": said}
    address.write(key, left)
    st.rerun()


def _bad(kind: str, given: Mapping[str, Any], values: list[str]) -> tuple[list[str], str]:
    """The values that cannot be used, and why."""
    if kind in _CHOICES:
        return _bad_choices(kind, given, values)
    wanted = len(given["value"]) if isinstance(given.get("value"), (tuple, list)) else 1
    if len(values) != wanted:
        return values, f"is the wrong number of values, {len(values)} instead of {wanted}"
    if kind in ("slider", "number_input"):
        return _bad_numbers(given, values)
    if kind == "toggle":
        return [value for value in values if value.lower() not in ("true", "false")], "is neither true nor false"
    most = given.get("max_chars") or math.inf
    return [value for value in values if len(value) > most], f"is longer than {most} characters"


def _bad_choices(kind: str, given: Mapping[str, Any], values: list[str]) -> tuple[list[str], str]:
    several = kind == "multiselect" or given.get("selection_mode") == "multi"
    clearable = several or (kind in ("pills", "segmented_control") and not given.get("required"))
    if not several and len(values) > 1:
        return values, f"is the wrong number of values, {len(values)} instead of 1"
    if clearable and values == [""] and not given.get("required"):
        return [], ""
    write = given.get("format_func", str)
    options = {str(write(option)) for option in _options(given)}
    return [value for value in values if value not in options], "is not among the choices"


def _bad_numbers(given: Mapping[str, Any], values: list[str]) -> tuple[list[str], str]:
    low, high = given.get("min_value"), given.get("max_value")
    whole = isinstance(low, int) and isinstance(high, int)
    for value in values:
        try:
            number = float(value)
        except ValueError:
            return values, "is not a number"
        if not (math.isfinite(number) and low <= number <= high):
            return values, f"does not lie between {low:g} and {high:g}"
        if whole and number != int(number):
            return values, "is not a whole number"
    if [float(value) for value in values] != sorted(map(float, values)):
        return values, "is not in order"
    return [], ""
