"""The packing argument as a sum: what each bin must hold on one data set, until it is more than there is."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.exhibits.learning_limits.packing import Packing

_TOTAL_SHOWN = 1.35  # probability up to which bins are drawn, once it is more than 1
_COLUMNS = 64


@dataclass(frozen=True)
class Filling:
    """Bins in order, several to a column where they are many, and what all of them up to there must hold.

    Attributes
    ----------
    first, last : number of the first and last bin of each column, from 1, (columns,)
    top : probability held by all bins up to the last one of the column, (columns,)
    total : of all k bins
    overflowing : number of the first bin that does not fit; None where all do
    """

    first: np.ndarray
    last: np.ndarray
    top: np.ndarray
    total: float
    overflowing: int | None


def bins_filled(packing: Packing, *, columns: int = _COLUMNS) -> Filling:
    """What success 0.1 on every data set forces into each bin on the one compared with, added up bin by bin.

    The first bin is a column of its own; the others are shown until the sum is well above 1, several to a column where
    they are many.
    """
    columns = validation.integer("columns", columns, minimum=2)
    own, each = (float(share) for share in packing.forced[:2])
    enough = 1 + (_TOTAL_SHOWN - own) / each
    shown = min(packing.bins, math.ceil(enough))
    size = math.ceil((shown - 1) / (columns - 1))
    first = np.concatenate([[1], np.arange(2, shown + 1, size)])
    last = np.append(first[1:] - 1, shown)
    top = own + each * (last - 1)
    overflowing = int(packing.bins_needed) if packing.contradiction else None
    return Filling(first, last, top, packing.held, overflowing)
