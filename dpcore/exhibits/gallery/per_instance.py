"""Figures and the table of the per-instance paper."""

from functools import cache

import numpy as np

from dpcore.data.samples import load_sample
from dpcore.exhibits.gallery.exhibit import Drawing, Finding, Shown, Stroke
from dpcore.exhibits.paper_figures import study as paper
from dpcore.exhibits.privacy_map.variants import variants
from dpcore.individual.all_rows.pictured import histogram
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms import OutputPerturbation

# A sentence of the text is checked on data sets of the sizes _SIZES, with _SEEDS seeds for each size.
_SIZES, _SEEDS = (paper.NEAR_N, paper.MANY_N), 12
_RELEASE = OutputPerturbation(paper.PAPER_SIGMA, paper.PAPER_LAM)

_figures = cache(paper.PaperFigures)


@cache
def _tried(figure: str, d: int, noise: float) -> list[tuple[paper.PaperClaim, ...]]:
    return [paper.PaperFigures(n, d, noise, seed).claims(figure) for n in _SIZES for seed in range(_SEEDS)]


def _claimed(figure: str, which: int, d: int, noise: float) -> Finding:
    """A sentence of the text, checked on data sets of both sizes and all seeds.

    It holds if it holds in each of them, and fails if it holds in none; otherwise it is open.
    """
    claims = [pair[which] for pair in _tried(figure, d, noise)]
    held, found = sum(one.verdict == "reproduced" for one in claims), [one.found for one in claims]
    read = f"read as {claims[0].low:g} to {claims[0].high:g} ×"
    return Finding(
        claims[0].words,
        {0: False, len(claims): True}.get(held),
        f"{read}, so it is in {held} of {len(claims)} data sets (n = {_SIZES[0]} and {_SIZES[1]}, {_SEEDS} seeds each): "
        f"{min(found):.3g} to {max(found):.3g} ×",
    )


def rows_by_epsilon(n: int, d: int, noise: float, seed: int) -> Shown:
    """Figure 1: the histogram of the rows' ε as a stepped line, pDP for all and the DP worst case as vertical lines."""
    found = individual_privacy(paper.paper_data(n, d, noise, seed), _RELEASE, paper.PAPER_DELTA)
    every, worst = float(found.for_all.epsilon), found.worst_case_epsilon
    binned = histogram(found, beside=[every, worst])
    edges, top = binned.edges, float(binned.counts.max())
    x, y = np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(binned.counts.astype(float), 2), [0.0]])
    lines = [
        Stroke(name, np.array([at, at]), np.array([0.0, top]), look, role=role)
        for name, at, look, role in (
            ("pDP for all", every, "dash", "for all"), ("DP worst case", worst, "dot", "worst case"),
        )
    ]  # fmt: skip
    strokes = (Stroke("rows of the data set", x, y, role="rows"), *lines)
    drawing = Drawing(strokes, "ε (nats)", "rows", x_log=True, x_range=(edges[0], 1.5 * worst))
    return Shown(drawing, tuple(_claimed(paper.FIGURE_1, which, d, noise) for which in range(2)))


def panes(pane: str, n: int, d: int, noise: float, seed: int) -> Shown:
    """Figure 2: per-instance ε and the worst case against noise or against excess risk.

    Parameters
    ----------
    pane : "left" or "right"
    n, d : rows and columns
    noise : noise of the linear model
    seed : seed of the data
    """
    found = _figures(n, d, noise, seed)
    left = pane == paper.FIGURE_2_LEFT
    groups, worst = (found.left.groups, found.left.worst) if left else (found.right.groups, found.right.worst)
    x = np.array(found.left.values if left else found.excess)
    mean = Stroke("mean over the rows", x, np.array([one.mean for one in groups]), "exact", role="rows")
    worst_case = Stroke("DP worst case", x, np.array(worst), "exact", role="worst case")
    largest = np.array([one.largest for one in groups])
    if left:
        fifths = np.array([one.quantiles for one in groups])
        strokes = [
            worst_case, Stroke("most exposed row", x, largest, "points", role="rows"), mean,
            Stroke("middle half of the rows", *_upright(x, fifths[:, 1], fifths[:, 3]), "exact", role="data"),
            Stroke("5 to 95 % of the rows", *_upright(x, fifths[:, 0], fifths[:, 4]), role="data"),
        ]  # fmt: skip
    else:
        strokes = [
            worst_case,
            Stroke("exponential mechanism, ‖θ‖ ≤ 1", x, np.array(found.exponential), "dash", role="exponential mechanism"),
            Stroke("most exposed row", x, largest, "dot", role="rows"), mean,
        ]  # fmt: skip
    drawing = Drawing(tuple(strokes), "noise σ" if left else "excess risk per row", "ε (nats)", True, True)
    return Shown(drawing, (_claimed(pane, 0, d, noise),))


def _upright(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A vertical piece of line from low to high at each x, with a gap after it."""
    return np.repeat(x, 3), np.column_stack([low, high, np.full(x.size, np.nan)]).ravel()


def variant_table(sample: str) -> Shown:
    """Table 1: each definition that gives an ε, with its value in nats for the release of Figure 1 on a sample."""
    result = individual_privacy(load_sample(sample), _RELEASE, paper.PAPER_DELTA)
    middle = int(np.argsort(result.epsilon)[result.epsilon.size // 2])
    rows = {one.name: one for one in variants(result, middle, repeats=20)}
    named = ("Per-instance DP", "Random DP", "pDP for all", "Personal DP", "Approximate DP")
    values = np.array([float(rows[name].value or np.nan) for name in named])
    roles = ("rows", "", "for all", "exponential mechanism", "worst case")
    strokes = tuple(
        Stroke(f"{k + 1} {name}", np.array([k + 1.0]), values[[k]], "points", role=role)
        for k, (name, role) in enumerate(zip(named, roles, strict=True))
    )
    across = "definition, from the most local to the most general"
    return Shown(Drawing(strokes, across, "ε (nats)", y_log=True, x_whole=True), ())
