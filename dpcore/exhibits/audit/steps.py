"""The outputs of a guessing game counted in steps of one width, for the outlines of both cases."""

from collections.abc import Sequence

import numpy as np

# Steps of the outlines of both cases. Doubled, the steps are half as wide and more of what they show is chance.
_STEPS = 20


def count(reference: tuple[np.ndarray, np.ndarray], seen: Sequence[float]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Ends of steps that reach over all outputs, and how many outputs without and with the record each step holds."""
    everything = [*reference[0], *reference[1], *seen]
    low, high = min(everything), max(everything)
    edges = np.linspace(low, high, _STEPS + 1) if high > low else low + np.array([-0.5, 0.5])
    return edges, [np.histogram(values, edges)[0] for values in reference]
