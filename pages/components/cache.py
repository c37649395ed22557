"""The only caches. Mathematics is shared by all sessions; anything computed from a user's data stays in the session."""

import gc
from collections.abc import Callable
from importlib import import_module
from typing import Any

import streamlit as st

from dpcore.profiles import PrivacyProfile


def value_key(thing: Any) -> str:
    """Identity by value: the qualified class name and the full repr, which nested dataclasses cannot confuse."""
    return f"{type(thing).__module__}.{type(thing).__qualname__}:{thing!r}"


@st.cache_data(max_entries=2_000, show_spinner=False)
def _shared(function_name: str, mechanism_key: str, arguments: str, _compute: Callable[[], Any]) -> Any:
    return _compute()


def of_mechanism(function: Callable[..., Any], name: str, mechanism: PrivacyProfile, *args: Any, **kwargs: Any) -> Any:
    """`function(name, mechanism, *args)` cached for every session: it depends on public parameters only."""
    arguments = repr((name, args, sorted(kwargs.items())))
    key = f"{function.__module__}.{function.__qualname__}"
    return _shared(key, value_key(mechanism), arguments, lambda: function(name, mechanism, *args, **kwargs))


@st.cache_data(max_entries=32, show_spinner=False, scope="session")
def _private(function_name: str, keys: tuple[str, ...], _compute: Callable[[], Any]) -> Any:
    return _compute()


def in_session(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` cached for this session alone; every argument's repr must identify its value."""
    key = f"{function.__module__}.{function.__qualname__}"
    return _private(key, tuple(value_key(arg) for arg in args), lambda: function(*args))


def forget() -> None:
    """Drop everything this session has cached."""
    _private.clear()


@st.cache_resource
def freeze_imports() -> None:
    """Import what every page needs, then take it out of garbage collection, so that no rerun scans it again."""
    for name in ("pages.components.curve_views", "pages.components.individual_views", "pages.components.data_input"):
        import_module(name)
    gc.collect()
    gc.freeze()
