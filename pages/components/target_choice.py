"""Choose the target in the sidebar: which column, how it is read, and which level is used against the others."""

from dataclasses import dataclass
from typing import Any

from dpcore.data import Candidate, Table, TargetReading, guess_target, target_candidates
from pages.components import cache, say

_READINGS = {"numeric": "amounts", "count": "counts", "binary": "two levels", "classes": "one class against the rest"}
_OFFERED = 4


@dataclass(frozen=True)
class TargetChoice:
    """A column, how it is read, and its positive level."""

    name: str
    reading: str
    positive: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `make_dataset` for this choice."""
        return {"positive": self.positive, "counts": self.reading == "count"}


def choose(table: Table, known: str | None, prefix: str) -> TargetChoice:
    """Sidebar controls; the first choice is the known or guessed target.

    Parameters
    ----------
    table : what was read
    known : target of a sample; None for an upload
    prefix : prefix of the keys

    Raises
    ------
    DataError
        If no column can be the target.
    """
    guess = cache.kept(guess_target, table).name if known is None else known
    offered = {one.name: one.reading for one in candidates(table) if one.reading is not None}
    name = say.selectbox(
        "Target", list(offered), index=list(offered).index(guess) if guess in offered else 0, key=key(prefix),
        help="The column to predict. Identifiers, dates and free text are not offered.",
    )  # fmt: skip
    reading = offered[name]
    kind = reading.kind
    place = f"{key(prefix)}_{list(table.names).index(name)}"
    if len(reading.readings) > 1:
        kind = say.selectbox(
            "Read the target as", list(reading.readings), format_func=_READINGS.get, key=f"{place}_kind",
            help=f"{reading.kind.capitalize()} is suggested: {reading.reason}.",
        )  # fmt: skip
    return TargetChoice(name, kind, _positive(reading, kind, place))


def candidates(table: Table) -> tuple[Candidate, ...]:
    """Every column as a target."""
    return cache.kept(target_candidates, table)


def key(prefix: str) -> str:
    """The key of the control of the target."""
    return f"{prefix}_target"


def likely(table: Table, chosen: str) -> list[str]:
    """A few other columns that look like targets, the likeliest first."""
    others = [one for one in candidates(table) if one.reading is not None and one.name != chosen and one.score >= 0]
    return [one.name for one in sorted(others, key=lambda one: -one.score)[:_OFFERED]]


def _positive(reading: TargetReading, kind: str, place: str) -> str | None:
    """The level that becomes B, if there is a choice; None for the level that becomes B by default."""
    if kind not in ("binary", "classes"):
        return None
    levels = [level if isinstance(level, str) else f"{level:.15g}" for level in reading.levels]
    default = levels[-1] if kind == "binary" else levels[0]
    chosen = say.selectbox(
        "Positive level" if kind == "binary" else "Level told from all others", levels, index=levels.index(default),
        key=f"{place}_positive", help="It becomes B; every other level becomes −B.",
    )  # fmt: skip
    return None if reading.default is not None and chosen == default else chosen
