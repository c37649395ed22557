"""Files for results: paths are checked before any work, and all files are put in place together at the end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from types import TracebackType

from dpcore.data.names import quoted
from dpcore.errors import ParameterError
from dpcore.individual.passes.row_sink import beside


class Outputs:
    """A context in which files are written beside their final places; `commit` moves all of them there.

    If the context ends without a commit, what was written is removed, and existing files are unchanged.

    Parameters
    ----------
    wanted : option → path; for a link, the file it points to is written
    sources : name of an input → its path; none of them may be written to
    force : whether a file that exists may be replaced

    Raises
    ------
    ParameterError
        If a path is the same file as a source or another output, even by another name or link, exists (without
        `force`), is a folder or a device, or cannot be written to. In these cases no file has been changed.
    """

    def __init__(self, wanted: Mapping[str, str], sources: Mapping[str, str], force: bool = False) -> None:
        self._finals = {option: Path(os.path.realpath(path)) for option, path in wanted.items()}
        for option, path in wanted.items():
            for what, source in sources.items():
                if _same(path, source):
                    raise ParameterError(
                        f"{option} {quoted(path, 120)} is {what}, which is read, so writing would destroy it; "
                        "give another name"
                    )
        for other, option in combinations(wanted, 2):
            if _same(wanted[option], wanted[other]):
                raise ParameterError(
                    f"{other} and {option} are the same file ({quoted(wanted[option], 120)}); give two names"
                )
            if _same(*(os.path.realpath(wanted[name]).casefold() for name in (option, other))):
                raise ParameterError(
                    f"{other} and {option} differ in capital letters only ({quoted(wanted[option], 120)}), which some "
                    "systems take for one file; give two names"
                )
        for option, final in self._finals.items():
            _check(option, wanted[option], final, force)
        self._parts = {option: beside(final) for option, final in self._finals.items()}

    def part(self, option: str) -> Path:
        """The temporary path to write to before the commit."""
        return self._parts[option]

    def commit(self) -> None:
        """Put all files in place; a new file gets the permissions of the file it replaces."""
        for option, final in self._finals.items():
            try:
                if final.exists():
                    shutil.copymode(final, self._parts[option])
                self._parts[option].replace(final)
            except OSError as error:
                raise ParameterError(f"{option} {quoted(final, 120)} cannot be written: {error.strerror}") from error

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for part in self._parts.values():
            part.unlink(missing_ok=True)


def _same(one: str, other: str) -> bool:
    """Whether two paths are the same file, by name (even if it does not exist yet), link or hard link."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _check(option: str, given: str, final: Path, force: bool) -> None:
    shown = f"{option} {quoted(given, 120)}"
    if final.is_dir():
        raise ParameterError(f"{shown} is a folder; give the name of a file")
    if not final.parent.is_dir():
        raise ParameterError(f"there is no folder {quoted(final.parent, 120)} for {option}; make it first")
    if os.path.lexists(final):
        if not final.is_file():
            raise ParameterError(f"{shown} is not an ordinary file; give another name")
        if not force:
            raise ParameterError(f"{shown} exists already; give --force to replace it, or another name")
        if not os.access(final, os.W_OK):
            raise ParameterError(f"{shown} is write-protected; give another name")
    try:
        with tempfile.TemporaryFile(dir=final.parent):
            pass
    except OSError as error:
        raise ParameterError(f"{shown} cannot be written there: {error.strerror}; give another folder") from error
