"""Which models suit the target of a data set, and which of them is the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpcore.data import target_kind
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.errors import DataError
from dpcore.glm.losses import COUNT, LOSSES

_AMOUNTS = "it needs counts, and the target is read as amounts: keep it as counts to use it"


@dataclass(frozen=True)
class Models:
    """Which losses suit a target and which do not, as names in `LOSSES`.

    Parameters
    ----------
    kind : kind of the target: "numeric", "binary" or "count"
    offered : losses that suit it, those made for it first; the first is the default
    refused : each other loss, with the reason why it does not suit
    """

    kind: str
    offered: tuple[str, ...]
    refused: Mapping[str, str]

    @property
    def default(self) -> str:
        """The loss that is used if none is named."""
        return self.offered[0]

    @property
    def reason(self) -> str:
        """Words that say what the target is, which is why these losses are offered."""
        return f"the target is {_KINDS[self.kind]}"


def default_clip(domain: Domain) -> float:
    r"""Default clip C for losses whose gradient is unbounded: R√max(B, 1), to one digit.

    √B is the size of a count's residual at the largest mean B, and R the largest ‖x‖.
    """
    return float(f"{domain.row_norm * max(1.0, domain.target_bound) ** 0.5:.0e}")


_KINDS = {"numeric": "numeric", "binary": "one of two levels", "count": "a count"}


def models_for(dataset: Dataset) -> Models:
    """The losses that suit the target of a data set, by what the target is (`target_kind`) and what y holds."""
    kind = target_kind(dataset).kind
    offered, refused = [], {}
    for name, loss in LOSSES.items():
        try:
            loss.check_target(dataset.y)
        except DataError:
            levels = "its two levels must be −1 and 1: set the target bound B to 1"
            refused[name] = levels if loss.target.name == kind else f"it needs {loss.target.needs}"
            continue
        if loss.target == COUNT and kind != COUNT.name:
            refused[name] = _AMOUNTS
        else:
            offered.append(name)
    offered.sort(key=lambda name: LOSSES[name].target.name != kind)
    return Models(kind, tuple(offered), refused)
