"""What a link asks of a control, looked at before the control is made: a bad part is dropped and named."""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpcore.data.names import quoted

_ARRIVING = "link_arriving"  # keys of controls whose values were given by another page and are not in the link yet
_CHOICES = ("multiselect", "pills", "segmented_control", "radio", "selectbox", "select_slider")
_NOTES = "link_notes"  # by key: the sentence, and the value fallen back to


def review(kind: str, given: Mapping[str, Any], former: Mapping[str, Any] | None = None) -> str | None:
    """What was wrong with the link's value for this control, as the end of a sentence, until another value is chosen.

    `given` holds the arguments of Streamlit's function, `former` the option that an earlier name in links stands for. A bad
    value leaves the link and the page runs again without it; an option's own key is as good as the name it is shown by.
    """
    key = given.get("key")
    if given.get("bind") != "query-params":
        return None
    if key in st.session_state.get(_ARRIVING, ()) and key in st.session_state:
        st.session_state[_ARRIVING].discard(key)
        st.query_params[key] = _written(kind, given, st.session_state[key])
    if key not in st.session_state and key in st.query_params:
        values = st.query_params.get_all(key)
        if kind in _CHOICES and (named := _named(given, former or {}, values)) != values:
            st.query_params[key] = named
            st.rerun()
        bad, reason = _bad(kind, given, values)
        if bad:
            _drop(key, values, bad, reason)
    notes = st.session_state.get(_NOTES, {})
    if key in notes and key in st.session_state and st.session_state[key] != notes[key].get("value"):
        del notes[key]
    return notes[key]["said"] if key in notes else None


def _named(given: Mapping[str, Any], former: Mapping[str, Any], values: list[str]) -> list[str]:
    """The values of a link as the control writes them."""
    write = given.get("format_func", str)
    names = {str(option): str(write(option)) for option in given["options"]}
    earlier = {name: names[str(option)] for name, option in former.items()}
    return [value if value in names.values() else names.get(value, earlier.get(value, value)) for value in values]


def give(state: Mapping[str, Any]) -> None:
    """Values of controls of a page that is about to be opened: it shows them, and its link holds them."""
    st.session_state.update(state)
    st.session_state[_ARRIVING] = set(state)


def _written(kind: str, given: Mapping[str, Any], value: Any) -> str | list[str]:
    """A control's value as a link holds it."""
    if isinstance(value, (list, tuple)):
        write = given.get("format_func", str)
        return [str(write(one)) for one in value]
    if kind == "toggle":
        return str(value).lower()
    return str(given.get("format_func", str)(value))


def remember(key: str, value: Any) -> None:
    """The value that a control fell back to: the note stays until another is chosen."""
    st.session_state[_NOTES][key]["value"] = value


def _drop(key: str, values: list[str], bad: list[str], reason: str) -> None:
    left = [value for value in values if value not in bad]
    end = "it is left out" if left else "the default is used"
    said = f"{', '.join(quoted(value) for value in bad[:3])}, which {reason}; {end}"
    st.session_state.setdefault(_NOTES, {})[key] = {"said": said}
    if left:
        st.query_params[key] = left
    else:
        del st.query_params[key]
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
    options = {str(write(option)) for option in given["options"]}
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
