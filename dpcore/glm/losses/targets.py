"""Kinds of targets: what a loss asks of y, and how large y can be."""

from dataclasses import dataclass

import numpy as np

from dpcore.errors import DataError


@dataclass(frozen=True)
class TargetKind:
    """What the targets of a loss are.

    Parameters
    ----------
    name : "numeric", "binary" or "count"
    needs : what y must hold, after "need"; empty where any finite number will do
    ends : extreme admissible targets in units of the public bound B; numbers between them may be admitted too
    labels : whether only the ends are admitted, at B = 1
    share : the score that tells how good a prediction is on any scale: accuracy, or the share of the variance (R²) or of
        the deviance (D²) that it explains
    """

    name: str
    needs: str
    ends: tuple[float, ...]
    labels: bool = False
    share: str = "R²"

    def check(self, y: np.ndarray, title: str, rows: np.ndarray | None = None) -> None:
        """Refuse targets of another kind; the first of them is named by its number in `rows`, else by its position.

        Raises
        ------
        DataError
        """
        if self.labels:
            refuse(y, np.abs(y) != 1, f"the {title.lower()} loss needs labels -1 and +1; recode the two classes", rows)
        elif min(self.ends) >= 0:
            refuse(y, y < 0, f"the {title} loss needs counts >= 0; clip the target or choose another loss", rows)
        refuse(y, ~np.isfinite(y), "it must be a finite number; drop or replace it", rows)

    def extremes(self, bound: float) -> list[float]:
        """The extreme targets |y| ≤ bound; none where labels do not fit the bound."""
        if self.labels:
            return list(self.ends) if bound == 1 else []
        return [end * bound for end in self.ends]


def refuse(y: np.ndarray, bad: np.ndarray, rule: str, rows: np.ndarray | None = None) -> None:
    """Name the first bad target."""
    if bad.any():
        row = int(bad.argmax())
        place = f"at y[{row}]" if rows is None else f"in row {rows[row]}"
        raise DataError(f"The target holds {y[row]:.6g} (first {place}), but {rule}.")


BINARY = TargetKind("binary", "two levels of the target, −1 and 1", (-1.0, 1.0), labels=True, share="accuracy")
NUMERIC = TargetKind("numeric", "", (-1.0, 0.0, 1.0))
COUNT = TargetKind("count", "numbers from 0", (0.0, 1.0), share="D²")
