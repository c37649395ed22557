"""Values of a simulation in equal bins."""

from dataclasses import dataclass

import numpy as np

from dpcore import validation


@dataclass(frozen=True)
class Bins:
    """Counts of finite values in equal bins; infinite values are counted separately."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    infinite: int


def bins(values: np.ndarray, count: int) -> Bins:
    """Count values in `count` equal bins from the smallest to the largest finite value."""
    inside = values[np.isfinite(values)]
    if not inside.size:
        return Bins((0.0, 1.0), (0,), int(values.size))
    counts, edges = np.histogram(inside, bins=validation.at_least_one("count", count))
    return Bins(tuple(float(v) for v in edges), tuple(int(v) for v in counts), int(values.size - inside.size))
