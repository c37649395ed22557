"""One figure or table of a source as this package draws it: the drawing, the printed statements, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from inspect import signature

import numpy as np
import pandas as pd

from dpcore import validation
from dpcore.errors import ParameterError

LOOKS = ("exact", "line", "dash", "dashdot", "dot", "points", "printed")


@dataclass(frozen=True, eq=False)
class Stroke:
    """One named curve or set of points, and its look.

    Parameters
    ----------
    name : name in the legend
    x, y : arrays of one shape
    look : one of `LOOKS`; "printed" is for numbers of the source
    error : standard errors of y
    role : key in `ROLE_COLORS`, for the same colour as on the pages; without one, a free colour is taken
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    look: str = "line"
    error: np.ndarray | None = None
    role: str = ""

    def __post_init__(self) -> None:
        validation.choice("look", self.look, LOOKS)


@dataclass(frozen=True, eq=False)
class Drawing:
    """What one figure shows.

    Parameters
    ----------
    strokes : what is drawn
    x_title, y_title : titles of the axes
    x_log, y_log : whether they are logarithmic
    x_range : values that the horizontal axis must include
    x_whole : whether only whole numbers are named on the horizontal axis
    """

    strokes: tuple[Stroke, ...]
    x_title: str
    y_title: str
    x_log: bool = False
    y_log: bool = False
    x_range: tuple[float, float] | None = None
    x_whole: bool = False

    def frame(self) -> pd.DataFrame:
        """All points as one long table."""
        parts = [
            {
                "name": stroke.name,
                "from": "the source" if stroke.look == "printed" else "computed",
                self.x_title: np.asarray(stroke.x, dtype=float),
                self.y_title: np.asarray(stroke.y, dtype=float),
                "standard error": np.nan if stroke.error is None else np.asarray(stroke.error, dtype=float),
            }
            for stroke in self.strokes
        ]
        return pd.concat(map(pd.DataFrame, parts), ignore_index=True)


@dataclass(frozen=True)
class Finding:
    """One printed statement or number, compared with what is computed.

    Parameters
    ----------
    what : the printed statement or number, in our words
    holds : whether it holds; None if this is open, because it is not computed or depends on settings not printed
    evidence : the criterion and the numbers that decide
    refutes : whether a failure shows that the printed statement is wrong, and not just that settings differ
    """

    what: str
    holds: bool | None
    evidence: str
    refutes: bool = False


def compared(what: str, printed: float, found: float, tolerance: float) -> Finding:
    """Whether a printed number and ours are equal within an absolute tolerance."""
    seen = f"printed {printed:.4g}, here {found:.4g}, tolerance {tolerance:.2g}"
    return Finding(what, bool(abs(found - printed) <= tolerance), seen)


@dataclass(frozen=True, eq=False)
class Shown:
    """A figure as it was computed, with everything printed that can be checked."""

    drawing: Drawing
    checks: tuple[Finding, ...]


class Judgement(Enum):
    """The possible results of comparing a figure with its source."""

    REPRODUCED = "reproduced"
    UNDECIDED = "undecided"
    DIFFERS = "differs"
    REFUTED = "refuted"
    IMPOSSIBLE = "cannot be reproduced"
    WAITING = "not computed yet"


@dataclass(frozen=True)
class Verdict:
    """The judgement and its reason, in one or two sentences."""

    judgement: Judgement
    reason: str


@dataclass(frozen=True)
class Exhibit:
    """A figure or table, or one panel of it.

    Parameters
    ----------
    key : short name
    source : key in `REFERENCES`
    number : number in the source
    caption : what it shows
    make : function that computes it
    page, state : the live page, and the values of its widgets
    settings : what the source states, by symbol
    assumptions : sentences on what is assumed because the source does not say it
    missing : a sentence on what is missing to compute it; `make` then gives the printed numbers
    seconds : approximate time of the computation
    printed : function that gives the printed numbers, shown for a slow exhibit before it is computed
    shared : name of a computation that it shares with other exhibits
    needs : name of the files that are missing
    given : function that computes it from these files, passed as the argument `files`
    """

    key: str
    source: str
    number: str
    caption: str
    make: partial[Shown]
    page: str
    state: Mapping[str, object]
    settings: Mapping[str, object] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    missing: str = ""
    seconds: float = 0.0
    printed: partial[Shown] | None = None
    shared: str = ""
    needs: str = ""
    given: partial[Shown] | None = None

    def with_files(self, files: tuple[str, ...]) -> Exhibit:
        """The same exhibit, computed from the files that were missing."""
        if self.given is None:
            raise ParameterError(f"{self.key} needs no file")
        return replace(self, make=partial(self.given, files=files), missing="")

    @property
    def is_slow(self) -> bool:
        """Whether it is computed only when somebody asks for it, because it takes more than a second."""
        return self.seconds > 1

    @property
    def work(self) -> str:
        """Name of the computation; exhibits with the same name share the computation."""
        return self.shared or self.key

    def parameters(self) -> dict[str, object]:
        """Every argument it is computed with, defaults included."""
        bound = signature(self.make.func).bind(*self.make.args, **self.make.keywords)
        bound.apply_defaults()
        return dict(bound.arguments)

    @property
    def seed(self) -> object:
        """The seed of all random numbers in it; None if there are none."""
        return self.parameters().get("seed")

    def program(self) -> str:
        """The lines of Python that compute it."""
        name, given = self.make.func.__name__, ", ".join(f"{k}={v!r}" for k, v in self.make.keywords.items())
        return (
            f"from {self.make.func.__module__} import {name}\n\n"
            f"shown = {name}({given})\n"
            "shown.drawing.frame(), shown.checks"
        )

    def verdict(self, shown: Shown | None) -> Verdict:
        """The verdict that follows from the checks; without a computed figure, that it is not computed yet."""
        if self.missing:
            return Verdict(Judgement.IMPOSSIBLE, self.missing)
        if shown is None:
            return Verdict(Judgement.WAITING, f"Computed when it is asked for: about {self.seconds:.0f} s.")
        failed = [check for check in shown.checks if check.holds is False]
        unsettled = [check for check in shown.checks if check.holds is None]
        left = f" Open: {_told(unsettled)}" if unsettled else ""
        total = len(shown.checks)
        if failed:
            judgement = Judgement.REFUTED if any(check.refutes for check in failed) else Judgement.DIFFERS
            return Verdict(judgement, f"{len(failed)} of {total} checks fail. {_told(failed)}{left}")
        if not shown.checks:
            return Verdict(Judgement.UNDECIDED, "Drawn; the source prints nothing that it could be held against.")
        if unsettled:
            return Verdict(Judgement.UNDECIDED, f"{total - len(unsettled)} of {total} checks hold.{left}")
        said = f"All {total} checks hold" if total > 1 else "The one check holds"
        return Verdict(Judgement.REPRODUCED, f"{said}. {_told(list(shown.checks))}")


def _told(checks: list[Finding]) -> str:
    return " ".join(f"“{check.what}”: {check.evidence}." for check in checks)
