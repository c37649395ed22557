"""What a report says beyond the numbers of a release: which cells expose rows, what helps, other mechanisms, a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpcore.data.names import grouped
from dpcore.errors import UnsupportedError, or_reason
from dpcore.individual.all_rows.equal_exposure import EquallyExposing, at_equal_exposure
from dpcore.individual.all_rows.exactly import all_affordable
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.advice import Advice, advise
from dpcore.individual.rows.cells import Cell, main_cells

# Most rows for which changes are tried out. Doubled, a report may take twice as long.
TRIED_UP_TO = 50_000
# ε that nobody's shall exceed, if no other is asked for. Doubled, less has to change.
GOAL = 0.5


@dataclass(frozen=True)
class Findings:
    """What was tried out on the rows of one result. A part that could not be is None, and `why_not` says why.

    Parameters
    ----------
    goal : ε that nobody's shall exceed, nats
    row : name of the most exposed row
    cells : number of a row in the file → the cell that exposes it most
    advice : what brings the most exposed row to the goal
    compared : the mechanisms at equal exposure
    why_not : part → why it could not be tried out
    """

    goal: float
    row: str
    cells: Mapping[int, Cell] | None
    advice: Advice | None
    compared: tuple[EquallyExposing, ...] | None
    why_not: Mapping[str, str]

    @classmethod
    def of(cls, result: IndividualPrivacy, best: IndividualPrivacy, goal: float, rows: int) -> Findings:
        """Try out what can be, on at most `TRIED_UP_TO` rows.

        Parameters
        ----------
        result : as `individual_privacy` gives it
        best : the same with the best known ε of each row
        goal : ε that nobody's shall exceed, nats
        rows : number of most exposed rows of which the cells are looked at
        """
        top, data = best.most_exposed(rows), result.dataset

        def small() -> IndividualPrivacy:
            if data.n_samples > TRIED_UP_TO:
                raise UnsupportedError(f"changes are tried out up to {grouped(TRIED_UP_TO)} rows")
            return result

        cells, no_cells = or_reason(lambda: main_cells(small(), top.tolist()))
        surely = None if all_affordable(result) else False  # as for the rows themselves
        advice, no_advice = or_reason(lambda: advise(small(), int(top[0]), goal, surely=surely))
        compared, not_compared = or_reason(lambda: at_equal_exposure(small()))
        return cls(
            goal, data.row_name(int(top[0])),
            None if cells is None else dict(zip(data.row_labels[top].tolist(), cells, strict=True)), advice, compared,
            {"cells": no_cells, "advice": no_advice, "compared": not_compared},
        )  # fmt: skip
