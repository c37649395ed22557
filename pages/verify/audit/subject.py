"""What is attacked, in the form the guessing game and the machine share."""

from dataclasses import dataclass

import pandas as pd

from dpcore.audit import Game
from dpcore.references import FormulaCard
from pages.components import controls

FEW_REFERENCES = 40  # fits of a learner, which take milliseconds each


@dataclass(frozen=True)
class Setup:
    """One or two games to play, and what identifies them.

    `attacked` says which rows of private data are looked for; `table` and `notes` hold what is known without any run,
    `cards` the guarantees themselves.
    """

    key: str
    games: tuple[Game, ...]
    shown: str
    private: bool
    code: str
    share: float = 1.0
    references: int = 200
    attacked: str = ""
    table: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    cards: tuple[FormulaCard, ...] = ()

    @property
    def fast(self) -> bool:
        """Whether outputs come in one stroke, not from a fit each."""
        return self.references > FEW_REFERENCES


def noise_share() -> float:
    """Control: how much of the declared noise the run uses."""
    return controls.log_slider(
        "Run it with this share of the declared noise", 0.2, 1.0, 1.0, key="au_share",
        help="1: an honest run. Below 1 the claim stays as declared while the noise shrinks: the audit should notice.",
    )  # fmt: skip
