"""The outputs of a guessing game counted in steps of one width, and where outlines and curves are named."""

from collections.abc import Sequence

import numpy as np

from dpcore.audit import Limit

# Steps of the outlines of both cases. Doubled, the steps are half as wide and more of what they show is chance.
_STEPS = 20


def count(reference: tuple[np.ndarray, np.ndarray], seen: Sequence[float]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Ends of steps that reach over all outputs, and how many outputs without and with the record each step holds."""
    everything = [*reference[0], *reference[1], *seen]
    low, high = min(everything), max(everything)
    edges = np.linspace(low, high, _STEPS + 1) if high > low else low + np.array([-0.5, 0.5])
    return edges, [np.histogram(values, edges)[0] for values in reference]


def highest_step(edges: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The middle of the step that holds most outputs, and how many it holds."""
    at = int(np.argmax(counts))
    return float(edges[at : at + 2].mean()), float(counts[at])


def even(limit: Limit) -> tuple[float, float]:
    """The point of a claim's curve where false alarms and misses are most nearly equal."""
    misses = 1 - np.asarray(limit.hit)
    at = int(np.argmin(np.abs(misses - limit.false_alarm)))
    return float(limit.false_alarm[at]), float(misses[at])
