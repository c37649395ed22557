"""Edits of a file: each says in words what it does, and does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class FileEdit:
    """One change of a file.

    Parameters
    ----------
    text : what it does, in words
    change : function from the rows of the file, indexed from 0, to the changed rows with their index kept
    note : what `text` leaves out
    rows : numbers in the file of the rows it leaves out
    """

    text: str
    change: Callable[[pd.DataFrame], pd.DataFrame]
    note: str = ""
    rows: tuple[int, ...] = ()
