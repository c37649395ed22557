"""Per-instance privacy of a block of rows under a fit to all rows: the same numbers wherever the block is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.data.stream.recipe import Block
from dpcore.individual.exposure import analysis_of
from dpcore.individual.fit.leverage import Leverage, check_range, moments
from dpcore.mechanisms.releases import GlmRelease

ROW_COLUMNS = ("row", "epsilon", "in_sample", "out_of_sample", "residual", "loo_residual")


@dataclass
class Moments:
    """XᵀX and Xᵀy of the rows added so far."""

    gram: Any = 0.0
    moment: Any = 0.0

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        if len(block.y):
            gram, moment = moments(block.X, block.y)
            self.gram, self.moment = self.gram + gram, self.moment + moment

    def merge(self, other: Any) -> None:
        """Add the rows of another part."""
        self.gram, self.moment = self.gram + other.gram, self.moment + other.moment


def row_values(
    fit: Leverage, block: Block, mechanism: GlmRelease, log_delta: float
) -> tuple[dict[str, np.ndarray], Block | None]:
    """The columns `ROW_COLUMNS` of the rows of a block, or else the rows of it that must be refitted first."""
    leverage = fit.of_rows(block.X, block.y, block.rows)
    if len(rows := leverage.undecided):
        return {}, block.take(rows)
    check_range(leverage.out_of_sample, leverage.loo_residual)
    epsilon = analysis_of(mechanism).of_rows(mechanism, block, leverage).epsilon(log_delta)
    influence = {name: getattr(leverage, name) for name in ROW_COLUMNS[2:]}
    return {"row": block.rows, "epsilon": epsilon, **influence}, None
