"""Recorded runs, and the certified sides of a run as curves of ε over δ."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.records import from_table, tables
from dpcore.runs.check import CheckedRun, check_run

UPPER, LOWER = "certified upper side", "certified lower side"
# Points of δ between 10⁻¹⁵ and 0.1, two a decade. Doubled, the curve takes twice as long.
_DELTAS = np.geomspace(1e-15, 0.1, 29)


@dataclass(frozen=True)
class Recorded:
    """A run as a library exported it: name on the screen, where the shape is from, and the text."""

    name: str
    of: str
    text: str


RECORDED: dict[str, Recorded] = {
    key: from_table(Recorded, given, f"recorded.toml, {key}")
    for key, given in tables(Path(__file__).with_name("recorded.toml"), ("run",))["run"].items()
}


def check_text(text: str) -> CheckedRun:
    """A run that was pasted; a text is never taken for the path of a file."""
    return check_run(text.encode())


def sides(found: CheckedRun) -> list[Curve]:
    """ε(δ) from above and, where something bounds it, from below; nan where no finite ε holds."""
    low, high = (np.asarray(side) for side in found.epsilon_at(_DELTAS))
    above = Curve(UPPER, _DELTAS, np.where(np.isfinite(high), high, np.nan), Bound.UPPER)
    if not found.run.sides.below:
        return [above]
    return [above, Curve(LOWER, _DELTAS, np.where(np.isfinite(low), low, np.nan), Bound.LOWER)]
