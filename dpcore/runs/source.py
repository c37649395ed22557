"""From a text, a dict, bytes or a path to plain lists and dicts; nothing that is read is run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpcore.errors import DataError
from dpcore.extras import told
from dpcore.runs.calls import looks_like_calls, parsed_calls
from dpcore.runs.checkpoint import is_checkpoint, read_checkpoint

MOST_TEXT = 2**20  # characters of a text. Doubled, a hostile text takes twice as long to parse
_MOST_FILE = 2**31  # bytes of a file, which is read into memory. Doubled, twice as much memory
_DEEPEST = 64  # of lists in lists. Doubled, composed events twice as deep are read


def content_of(source: Any) -> Any:
    """Plain lists, dicts and scalars of a source, or its text if it is prose.

    Parameters
    ----------
    source : dict, list or named tuple, as it is; bytes, which are never taken for a path; a path; or a text

    Raises
    ------
    DataError
        If it cannot be read, or is too large or too deep.
    """
    if isinstance(source, (str, os.PathLike)) and _is_file(source):
        path = Path(source)
        if path.stat().st_size > _MOST_FILE:
            raise DataError(f"{path.name} is larger than {_MOST_FILE >> 30} GB: save the state of the accountant alone")
        source = path.read_bytes()
    elif isinstance(source, os.PathLike):
        raise DataError(f"there is no file {os.fspath(source)!r}")
    if isinstance(source, (bytes, bytearray)):
        source = read_checkpoint(bytes(source)) if is_checkpoint(bytes(source)) else decoded(bytes(source))
    return _plain(_parsed(source) if isinstance(source, str) else source)


def _is_file(source: Any) -> bool:
    text = os.fspath(source)
    return len(text) < 4096 and "\n" not in text and "\0" not in text and os.path.isfile(text)


def decoded(data: bytes) -> str:
    """Text of a file in UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError("the file is neither a checkpoint nor UTF-8 text: export the run as JSON") from error


def _parsed(text: str) -> Any:
    if len(text) > MOST_TEXT:
        raise DataError(f"the text is longer than {MOST_TEXT:,} characters: keep the accountant's part of it")
    if not text.strip():
        raise DataError("the text is empty: paste what your tool exports")
    if text.lstrip()[0] in "{[":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"this begins like JSON and is not: {error}") from error
    return parsed_calls(text) if looks_like_calls(text) else _yaml_or_prose(text)


def _yaml_or_prose(text: str) -> Any:
    with told():
        import yaml

    class Plain(yaml.SafeLoader):
        """Scalars, lists and dicts; an alias, by which a short text grows without bound, is refused."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise DataError("the YAML has an alias (*name): write out what it stands for")
            return super().compose_node(parent, index)

    try:
        found = yaml.load(text, Plain)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        return text
    return found if isinstance(found, (dict, list)) else text


def _plain(thing: Any, depth: int = 0) -> Any:
    """Named tuples as dicts, tuples as lists; numbers, text and what a checkpoint left out as they are."""
    if depth > _DEEPEST:
        raise DataError(f"the run has more than {_DEEPEST} lists in lists: count repeated steps instead")
    if hasattr(thing, "_asdict"):
        thing = thing._asdict()
    if isinstance(thing, Mapping):
        return {str(key): _plain(value, depth + 1) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_plain(value, depth + 1) for value in thing]
    return thing.item() if hasattr(thing, "item") and hasattr(thing, "dtype") else thing
