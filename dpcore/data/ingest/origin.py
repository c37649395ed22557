"""Where the rows of a data set come from: the table, the rows used, the encoder, and the owner's label of each row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpcore.data.encoding.encoder import Encoder
from dpcore.data.ingest.table import Table
from dpcore.data.names import quoted, visible

_ID_LENGTH = 40  # characters of a label that are shown


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """The table (not copied), positions of the rows used, the encoder, and the column that labels rows ("": none)."""

    table: Table
    kept: slice | np.ndarray
    encoder: Encoder
    label: str = ""

    def rows(self, positions: Any = slice(None)) -> np.ndarray:
        """Positions in the table of some rows of the data set."""
        kept = np.arange(self.table.n_rows) if isinstance(self.kept, slice) else self.kept
        return kept[positions]

    def frame(self, positions: Any, columns: list[str]) -> pd.DataFrame:
        """Cells of the table, in its own units; only the rows asked for are copied."""
        rows = positions if isinstance(self.kept, slice) else self.kept[positions]
        return self.table.frame[columns].iloc[rows].reset_index(drop=True)

    def ids(self, positions: Any = slice(None)) -> list[str]:
        """The owner's labels of some rows, "" where they are unknown."""
        if not self.label:
            return [""] * len(self.rows(positions))
        return [cell_text(value)[:_ID_LENGTH] for value in self.frame(positions, [self.label])[self.label]]

    def name(self, row: int) -> str:
        """The name of the row at a position of the table: "row 23 (id K-0077)", or "row 23" without a label."""
        own = cell_text(self.table.frame[self.label].iloc[row])[:_ID_LENGTH] if self.label else ""
        return f"row {row + 1}" + (f" (id {own})" if own else "")

    def why_left_out(self, row: int) -> str:
        """Why the row at a position of the table is not used, as the end of a sentence."""
        names = [self.encoder.target, *self.encoder.features]
        gone = [name for name in names if pd.isna(self.table.frame[name].iloc[row])]
        gone = gone if self.encoder.missing == "drop" else gone[:1]
        return "for a missing cell in " + " and ".join(quoted(name) for name in gone[:3])


def cell_text(value: Any) -> str:
    """A cell as text on one line: whole numbers without a decimal point, "" if it is missing."""
    if pd.isna(value):
        return ""
    if isinstance(value, float | np.floating):
        value = float(value)
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    return visible(str(value))
