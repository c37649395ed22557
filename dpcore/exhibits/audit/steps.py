"""The outputs of a guessing game counted in steps of one width, for the outlines of both cases."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Steps of the outlines of both cases. Doubled, the steps are half as wide and more of what they show is chance.
_STEPS = 20


@dataclass(frozen=True)
class Steps:
    """Counts of outputs between `edges`, without and with the record."""

    edges: np.ndarray
    counts: tuple[np.ndarray, np.ndarray]

    @property
    def width(self) -> float:
        """Width of a step."""
        return float(self.edges[1] - self.edges[0])

    @property
    def most(self) -> int:
        """The largest count."""
        return int(max(count.max() for count in self.counts))


def count(reference: tuple[np.ndarray, np.ndarray], seen: Sequence[float]) -> Steps:
    """Count the outputs of both cases in steps that reach over these and over all outputs `seen` so far."""
    low = min(*reference[0], *reference[1], *seen)
    high = max(*reference[0], *reference[1], *seen)
    edges = np.linspace(low, high, _STEPS + 1) if high > low else low + np.array([-0.5, 0.5])
    without, with_ = (np.histogram(values, edges)[0] for values in reference)
    return Steps(edges, (without, with_))
