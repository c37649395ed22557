"""All caches of the app. Mathematics is shared by all sessions; results from a user's data stay in that session."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import streamlit as st

from dpcore.profiles import PrivacyProfile


def value_key(thing: Any) -> str:
    """A key that identifies a value: the qualified class name and the full repr, which is unique in nested dataclasses.

    Data sets with equal numbers may come from different files with other columns and labels, so their provenance is
    added.
    """
    return f"{type(thing).__module__}.{type(thing).__qualname__}:{thing!r}{getattr(thing, 'provenance', '')}"


def _key(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[str, tuple[str, ...]]:
    return f"{function.__module__}.{function.__qualname__}", tuple(value_key(arg) for arg in args)


@st.cache_data(max_entries=2_000, show_spinner=False)
def _shared(function_name: str, arguments: tuple[str, ...], _compute: Callable[[], Any]) -> Any:
    return _compute()


def shared(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)` cached for every session: only for mathematics on public parameters."""
    name, keys = _key(function, args)
    keys += tuple(f"{k}={value_key(kwargs[k])}" for k in sorted(kwargs))
    return _shared(name, keys, lambda: function(*args, **kwargs))


@lru_cache(maxsize=20_000)
def _place(mechanism: PrivacyProfile, question: str, *args: Any, **kwargs: Any) -> list[float]:
    """The list in which an answer is kept once it is known."""
    return []


def answer(mechanism: PrivacyProfile, question: str, *args: Any, **kwargs: Any) -> float:
    """One number from a mechanism, such as its "epsilon" at a δ, cached so that it is computed only once.

    The cache is for all sessions, as with `shared`, since the parameters of a mechanism are public.
    """
    place = _place(mechanism, question, *args, **kwargs)
    if not place:
        place.append(float(getattr(mechanism, question)(*args, **kwargs)))
    return place[0]


def remember(found: float, mechanism: PrivacyProfile, question: str, *args: Any) -> None:
    """Keep an answer that was computed for many mechanisms at once."""
    _place(mechanism, question, *args)[:] = [float(found)]


# results are kept by reference, since they can be large
@st.cache_resource(max_entries=8, show_spinner=False, scope="session")
def _private(function_name: str, keys: tuple[str, ...], _compute: Callable[[], Any]) -> Any:
    return _compute()


@st.cache_resource(show_spinner=False, scope="session")
def _era() -> object:
    return object()


_for_a_file: ContextVar[dict[Any, Any] | None] = ContextVar("_for_a_file", default=None)


@contextmanager
def for_a_file() -> Iterator[None]:
    """A context for making a file to download.

    Such a file is made after the run that offers it, when the caches of the session cannot be reached. So inside this
    context every result is computed again, once.
    """
    token = _for_a_file.set({})
    try:
        yield
    finally:
        _for_a_file.reset(token)


def _unless_forgotten(cached: Callable[..., Any], function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """A cached value.

    If the user has the data forgotten while the value is computed, the caches are cleared once more after that, because
    the run that computes it ends later and puts it into the cache.
    """
    key, held = _key(function, args), _for_a_file.get()
    if held is not None:
        if key not in held:
            held[key] = function(*args)
        return held[key]
    era = _era()
    found = cached(*key, lambda: function(*args))
    if _era() is not era:
        forget()
    return found


def in_session(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` cached for this session alone; every argument's repr must identify its value."""
    return _unless_forgotten(_private, function, args)


# objects are kept by reference, since they remember what they have computed
@st.cache_resource(max_entries=48, show_spinner=False, scope="session")
def _kept(function_name: str, keys: tuple[str, ...], _compute: Callable[[], Any]) -> Any:
    return _compute()


def kept(function: Callable[..., Any], *args: Any) -> Any:
    """A mathematical object made by `function(*args)` that remembers its own work, kept for this session."""
    return _unless_forgotten(_kept, function, args)


# the dict is kept by reference, since it is filled as the work goes on
@st.cache_resource(max_entries=6, show_spinner=False, scope="session")
def _begun(function_name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    return {}


def begun(function: Callable[..., Any], *args: Any) -> dict[str, Any]:
    """A dict for unfinished work on `function(*args)` that may be interrupted, kept for this session."""
    return _begun(*_key(function, args))


# the dict is kept by reference, since it is filled only once, by the first session that needs it
@st.cache_resource(max_entries=100, show_spinner=False)
def _done(function_name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    return {}


def done(function: Callable[..., Any], *args: Any) -> dict[str, Any]:
    """A dict of what any session has found about `function(*args)`: only for mathematics on public parameters."""
    return _done(*_key(function, args))


def forget() -> None:
    """Drop everything this session has cached."""
    _era.clear()
    _begun.clear()
    _private.clear()
    _kept.clear()
