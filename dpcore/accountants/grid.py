"""One step for all mechanisms, chosen so that atoms of their losses fall on nodes."""

from __future__ import annotations

import numpy as np

from dpcore.accountants.loss_law import LossLaw

_SMALL = 1 / 8  # a support narrower than this many steps does not set the step
_TRIED = 20_000


def spans_of(laws: tuple[tuple[LossLaw, int], ...], step: float) -> list[tuple[float, int]]:
    """(distance between the two edge atoms, count) of each mechanism that has both."""
    return [
        (law.atoms[1][0] - law.atoms[0][0], count)
        for law, count in laws
        if len(law.atoms) == 2 and law.atoms[1][0] - law.atoms[0][0] > _SMALL * step
    ]


def aligned_step(laws: tuple[tuple[LossLaw, int], ...], step: float) -> float:
    """The largest step up to `step`, about, of which the distances between edge atoms are multiples.

    One distance can be met exactly; several are met as nearly as the best of many candidates does.
    """
    spans = spans_of(laws, step)
    if not spans:
        return step
    span, _ = max(spans, key=lambda one: one[1])
    fewest = max(int(np.ceil(span / step * (1 - 1e-12))), 1)
    if len(spans) == 1:
        return span / (fewest if fewest == 1 else fewest + fewest % 2)
    cells = np.arange(fewest, min(2 * fewest + 16, fewest + _TRIED))
    steps = span / cells
    cost = np.zeros(cells.size)
    for other, count in spans:
        place = other / steps
        cost += count * (np.ceil(place - 1e-9) - place) * steps
    return float(steps[int(np.argmin(cost))])


def offset_of(law: LossLaw, step: float) -> float:
    """Shift of the mechanism's grid that puts the atom at its largest loss on a node, or else its small losses' mean."""
    edge = bool(law.atoms) and law.atoms[-1][0] == law.top
    place = law.top if edge else law.merged_below(step)
    offset = place - step * np.rint(place / step)
    return 0.0 if abs(offset) < 1e-12 * step else float(offset)
