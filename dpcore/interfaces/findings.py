"""What a report says beyond the numbers of a release: which cells expose rows, what helps, other mechanisms, a proposal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dpcore.data.names import grouped
from dpcore.decisions.proposed import Proposal
from dpcore.errors import or_reason
from dpcore.individual.all_rows.equal_exposure import EquallyExposing, at_equal_exposure
from dpcore.individual.all_rows.exactly import all_affordable
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.advice import Advice, advise
from dpcore.individual.rows.cells import Cell, main_cells

# Most rows for which changes are tried out. Doubled, a report may take twice as long.
TRIED_UP_TO = 50_000


@dataclass(frozen=True)
class Findings:
    """What was tried out on the rows of one result. A part that was not is None; `why_not` says why, if it was asked for.

    Parameters
    ----------
    goal : ε that nobody's shall exceed, nats; None if nothing was asked for
    row : name of the most exposed row
    proposal : the release recommended for the goal
    cells : number of a row in the file → the cell that exposes it most
    advice : what brings the most exposed row to the goal
    compared : the mechanisms at equal exposure
    applied : whether the rows are those of the file as the proposal edits it, under the proposed release
    why_not : part → why it could not be tried out; empty if it could, or was not asked for
    """

    goal: float | None
    row: str
    proposal: Proposal | None = None
    cells: Mapping[int, Cell] | None = None
    advice: Advice | None = None
    compared: tuple[EquallyExposing, ...] | None = None
    why_not: Mapping[str, str] = field(default_factory=dict)
    applied: bool = False

    @classmethod
    def of(
        cls,
        result: IndividualPrivacy,
        best: IndividualPrivacy,
        rows: int,
        goal: float | None = None,
        proposed: Callable[[], Proposal] | None = None,
    ) -> Findings:
        """Try out what can be, on at most `TRIED_UP_TO` rows.

        Parameters
        ----------
        result : as `individual_privacy` gives it
        best : the same with the best known ε of each row
        rows : number of most exposed rows of which the cells are looked at
        goal : ε that nobody's shall exceed, nats; None to try out no changes
        proposed : function that gives the release recommended for the goal; None to recommend none
        """
        top, data = best.most_exposed(rows), result.dataset
        row = data.row_name(int(top[0]))
        if data.n_samples > TRIED_UP_TO:
            reason = f"changes are tried out up to {grouped(TRIED_UP_TO)} rows"
            asked = {"cells": True, "proposal": proposed, "advice": goal, "compared": True}
            return cls(goal, row, why_not={part: reason if wanted else "" for part, wanted in asked.items()})
        cells, no_cells = or_reason(lambda: main_cells(result, top.tolist()))
        by_row = None if cells is None else dict(zip(data.row_labels[top].tolist(), cells, strict=True))
        compared, not_compared = or_reason(lambda: at_equal_exposure(result))
        proposal, no_proposal = (None, "") if proposed is None else or_reason(proposed)
        advice, no_advice = None, ""
        if goal is not None:
            surely = None if all_affordable(result) else False  # as for the rows themselves
            advice, no_advice = or_reason(lambda: advise(result, int(top[0]), goal, surely=surely))
        why_not = {"cells": no_cells, "proposal": no_proposal, "advice": no_advice, "compared": not_compared}
        return cls(goal, row, proposal, by_row, advice, compared, why_not)
