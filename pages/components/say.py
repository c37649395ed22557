"""All text reaches the screen through this module: plain text is shown unchanged, and only `md("…")` is Markdown."""

import inspect
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from numbers import Number
from pathlib import Path
from string import Formatter
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.data.names import literal, unique_names, visible
from pages.components import links
from pages.components.words import number, times


class Markdown(str):
    """Text that is rendered as Markdown. Plain text that is added or joined to it is made literal."""

    __slots__ = ()

    def __add__(self, other: str) -> "Markdown":
        return Markdown(str.__add__(self, shown(other)))

    def __radd__(self, other: str) -> "Markdown":
        return Markdown(shown(other) + str(self))

    def join(self, parts: Iterable[str]) -> "Markdown":
        """The parts, joined by this text."""
        return Markdown(str.join(self, map(shown, parts)))


_FOR_READERS = {"n": number, "t": times}  # conversions of a template, beside those of Python


class _Template(Formatter):
    def convert_field(self, value: Any, conversion: Any) -> Any:
        return (
            _FOR_READERS[conversion](value) if conversion in _FOR_READERS else super().convert_field(value, conversion)
        )

    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec)
        return text if isinstance(value, (Markdown, Number)) else literal(text)


def md(template: str, /, *values: Any, **named: Any) -> Markdown:
    """Markdown from a template in the source code; each {} is replaced by a plain value as literal text.

    Numbers follow their format, and other Markdown is inserted unchanged. {!n} is a number as `words.number` writes it,
    {!t} a ratio as `words.times` does. Without values the template is used unchanged, with its braces.
    """
    return Markdown(_Template().vformat(template, values, named) if values or named else template)


def sentences(module: str) -> Callable[..., Markdown]:
    """A function that gives the sentences of `words.toml` beside a module by name; they are templates as for `md`."""
    found = tomllib.loads(Path(module).with_name("words.toml").read_text(encoding="utf-8"))

    def sentence(name: str, /, *values: Any, **named: Any) -> Markdown:
        return md(found[name], *values, **named)

    return sentence


def own(text: str) -> Markdown:
    """Markdown from this package: formula cards, lessons, documents. It must contain no text from a file or reader."""
    return Markdown(text)


def shown(text: Any) -> str:
    """The source that a Markdown renderer needs to show the text."""
    return str(text) if isinstance(text, Markdown) else literal(str(text))


def _plain_text(text: Any) -> str:
    return visible(str(text))


CONTROLS = (
    "multiselect", "number_input", "pills", "radio", "segmented_control", "select_slider", "selectbox", "slider", "tabs",
    "text_area", "text_input", "toggle",
)  # fmt: skip


def _sink(name: str, *texts: str, options: Callable[[str], str] | None = None) -> Callable[..., Any]:
    """Streamlit's function, which makes these parameters literal if they are plain text; `on` is the container.

    `options` converts each option: `shown` if Streamlit renders options, else one plain line. `former` maps names in
    old links to options. The session keeps a control's value while it is not shown, and so does the address, unless
    `bind` is None or the key contains the hash of the reader's data.
    """
    signature = inspect.signature(getattr(st, name))

    def call(*args: Any, on: Any = st, former: Mapping[str, Any] | None = None, **kwargs: Any) -> Any:
        given = signature.bind(
            *args, **(links.held(kwargs["key"], signature) if name in CONTROLS and "key" in kwargs else {}) | kwargs
        )
        for text in texts:
            value = given.arguments.get(text)
            if value is not None:
                given.arguments[text] = shown(value) if isinstance(value, str) else [shown(one) for one in value]
        if options is not None:
            write = given.arguments.get("format_func", lambda option: option)
            given.arguments["format_func"] = lambda option: options(write(option))
        if given.arguments.get("bind") is None:
            return getattr(on, name)(*given.args, **given.kwargs)
        note = links.review(name, given.arguments, former)
        if note is not None:
            label = Markdown(given.arguments.get("label", "The tab"))
            warning(md("{}: the link asks for {}.", label, note), icon=":material/link_off:", on=on)
        said = st.query_params.get_all(given.arguments["key"])
        value = getattr(on, name)(*given.args, **given.kwargs)
        if note is not None:
            links.remember(given.arguments["key"])
        links.keep(name, given.arguments, said)
        return value

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`st.{name}` that interprets nothing but Markdown made by `md`."
    return call


button = _sink("button", "label", "help")
caption = _sink("caption", "body", "help")
download_button = _sink("download_button", "label", "help")
error = _sink("error", "body", "title")
expander = _sink("expander", "label")
file_uploader = _sink("file_uploader", "label", "help")
image = _sink("image", "caption")
info = _sink("info", "body", "title")
markdown = _sink("markdown", "body", "help")
latex = _sink("latex", "body", "help")
metric = _sink("metric", "label", "value", "delta", "help", "delta_description")
multiselect = _sink("multiselect", "label", "help", options=_plain_text)
number_input = _sink("number_input", "label", "help")
page_link = _sink("page_link", "label", "help")
pills = _sink("pills", "label", "help", options=shown)
popover = _sink("popover", "label", "help")
progress = _sink("progress", "text")
radio = _sink("radio", "label", "help", "captions", options=shown)
segmented_control = _sink("segmented_control", "label", "help", options=shown)
select_slider = _sink("select_slider", "label", "help", options=shown)
selectbox = _sink("selectbox", "label", "help", options=_plain_text)
slider = _sink("slider", "label", "help")
_spinner = _sink("spinner", "text")
subheader = _sink("header", "body", "help")  # of the second order, as no page has others between its title and these
success = _sink("success", "body", "title")
tabs = _sink("tabs", "tabs")
text_area = _sink("text_area", "label", "help")
text_input = _sink("text_input", "label", "help")
title = _sink("title", "body", "help")
toggle = _sink("toggle", "label", "help")
warning = _sink("warning", "body", "title")


def table(
    frame: pd.DataFrame,
    *,
    formats: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    **options: Any,
) -> Any:
    """Show a table with headers and cells as plain text on one line; `formats` and `labels` are by column."""
    return st.dataframe(_plain(frame), column_config=_columns(formats, labels), **options)


def prose_table(frame: pd.DataFrame, **options: Any) -> Any:
    """Show a table of sentences that are wrapped; Markdown made by `md` is rendered."""
    return st.table(frame.rename(columns=shown).map(shown), **options)


def editor(
    frame: pd.DataFrame,
    *,
    formats: Mapping[str, str] | None = None,
    choices: Sequence[Sequence[str] | None] | None = None,
    width: str | None = None,
    **options: Any,
) -> pd.DataFrame:
    """A table for editing, with plain text as in `table`.

    `choices` has for each column its allowed values (None: any); `width` is the width of columns with a format.
    """
    plain, config = _plain(frame), _columns(formats, None, width) or {}
    for name, levels in zip(plain.columns, choices or (), strict=False):
        if levels:
            config[name] = st.column_config.SelectboxColumn(options=list(levels), format_func=_plain_text)
    return st.data_editor(plain, column_config=config or None, **options)


def _columns(
    formats: Mapping[str, str] | None, labels: Mapping[str, str] | None, width: Any = None
) -> dict[str, Any] | None:
    formats, labels = formats or {}, labels or {}
    numbers = {
        name: st.column_config.NumberColumn(labels.get(name), format=formats[name], width=width) for name in formats
    }
    return {**labels, **numbers} or None


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    plain = frame.set_axis(list(unique_names([_plain_text(name) for name in frame.columns])[0]), axis=1)
    if not pd.api.types.is_numeric_dtype(plain.index.dtype):
        plain.index = plain.index.map(_plain_text)
    for position, dtype in enumerate(frame.dtypes):
        if not (pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)):
            cells = frame.iloc[:, position].astype(object)
            plain.isetitem(position, cells.map(lambda cell: visible(cell) if isinstance(cell, str) else cell))
    return plain


_silent: ContextVar[bool] = ContextVar("_silent", default=False)


@contextmanager
def silently() -> Iterator[None]:
    """A context without spinners, for computations that nobody waits for."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def spinner(*args: Any, **kwargs: Any) -> AbstractContextManager[Any]:
    """Streamlit's spinner; nothing inside `silently`."""
    return nullcontext() if _silent.get() else _spinner(*args, **kwargs)
