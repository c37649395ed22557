"""Figures and the table of the per-instance paper."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from dpcore.data.samples import load_sample
from dpcore.exhibits.gallery.exhibit import Drawing, Exhibit, Finding, Shown, Stroke
from dpcore.exhibits.paper_figures.study import (
    NEAR_D,
    NEAR_N,
    NEAR_NOISE,
    NEAR_SEED,
    PAPER_DELTA,
    PAPER_LAM,
    PAPER_SIGMA,
    PaperClaim,
    PaperFigures,
    claims_of,
    paper_data,
    paper_figures,
)
from dpcore.exhibits.privacy_map.variants import variants
from dpcore.individual.all_rows.pictured import histogram
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms import OutputPerturbation

_SOURCE = "wang-2019"
_N, _D, _NOISE, _SEED = NEAR_N, NEAR_D, NEAR_NOISE, NEAR_SEED
_MANY, _SAMPLE = 1_000, "synthetic_linear_gaussian"
_SIZES, _SEEDS = (_N, _MANY), 12  # data sets that a sentence of the text is tried on


def _assumed(n: int) -> tuple[str, ...]:
    why = f"n = {_N} is where the ratios of Fig. 1 come nearest"
    return (
        f"Drawn are n = {n} rows and d = {_D} columns: the paper prints neither ({why}), so its sentences are tried at two sizes.",
        f"The linear model's noise is {_NOISE:g}, its coefficients and rows are uniform on the unit sphere: not printed either.",
    )


@cache
def _figures(n: int, d: int, noise: float, seed: int) -> PaperFigures:
    return paper_figures(n, d, noise, seed)


@cache
def _tried(figure: int, d: int, noise: float) -> list[tuple[PaperClaim, PaperClaim]]:
    return [claims_of(figure, paper_data(n, d, noise, seed)) for n in _SIZES for seed in range(_SEEDS)]


def _claimed(figure: int, which: int, d: int, noise: float) -> Finding:
    """A sentence of the text over data sets of both sizes and all seeds: it holds if it does in each of them."""
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
    """Figure 1: rows by ε as a stepped line, pDP for all and the DP worst case as verticals."""
    found = individual_privacy(paper_data(n, d, noise, seed), OutputPerturbation(PAPER_SIGMA, PAPER_LAM), PAPER_DELTA)
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
    drawing = Drawing(
        (Stroke("rows of the data set", x, y, role="rows"), *lines),
        "ε (nats)",
        "rows",
        x_log=True,
        x_range=(edges[0], 1.5 * worst),
    )
    return Shown(drawing, tuple(_claimed(1, which, d, noise) for which in range(2)))


def panes(pane: str, n: int, d: int, noise: float, seed: int) -> Shown:
    """Figure 2: per-instance ε and the worst case against noise or against excess risk.

    Parameters
    ----------
    pane : "left" or "right"
    n, d : rows and columns
    noise : of the linear model
    seed : of the data
    """
    found = _figures(n, d, noise, seed)
    left = pane == "left"
    groups, worst = (found.groups, found.group_worst) if left else (found.posterior, found.posterior_worst)
    x = np.array(found.sigmas if left else found.excess)
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
    return Shown(drawing, (_claimed(2, 0 if left else 1, d, noise),))


def _upright(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An upright piece of a line at each place, with a gap after it."""
    gap = np.full(x.size, np.nan)
    return np.repeat(x, 3), np.column_stack([low, high, gap]).ravel()


def variant_table(sample: str) -> Shown:
    """Table 1: each definition that is in nats of ε, as its number for the release of Figure 1 on a sample."""
    result = individual_privacy(load_sample(sample), OutputPerturbation(PAPER_SIGMA, PAPER_LAM), PAPER_DELTA)
    middle = int(np.argsort(result.epsilon)[result.epsilon.size // 2])
    rows = {one.name: one for one in variants(result, middle, repeats=20)}
    named = ("Per-instance DP", "Random DP", "pDP for all", "Personal DP", "Approximate DP")
    values = np.array([float(rows[name].value or np.nan) for name in named])
    roles = ("rows", "", "for all", "exponential mechanism", "worst case")
    strokes = tuple(
        Stroke(f"{k + 1} {name}", np.array([k + 1.0]), values[[k]], "points", role=role)
        for k, (name, role) in enumerate(zip(named, roles, strict=True))
    )

    drawing = Drawing(
        strokes, "definition, from the most local to the most general", "ε (nats)", y_log=True, x_whole=True
    )
    return Shown(drawing, ())


_STATED = {"λ": PAPER_LAM, "δ": PAPER_DELTA, "‖x‖": 1, "bound on |y|": 1}
_GIVEN: dict[str, Any] = {"n": _N, "d": _D, "noise": _NOISE, "seed": _SEED}
_PAGE = {"pf_n": _N, "pf_d": _D, "pf_noise": _NOISE, "pf_seed": _SEED}

EXHIBITS = (
    Exhibit(
        "wang-table-1", _SOURCE, "Table 1",
        "What each variant of differential privacy takes over data sets and records; here with its number.",
        {}, partial(variant_table, _SAMPLE),
        (
            f"The release is that of Fig. 1 (σ = {PAPER_SIGMA:g}), the data the sample “Synthetic linear Gaussian model”; the table "
            "prints no number. Five of its ten rows are in nats of ε and drawn. That the values rise follows from the definitions.",
        ),
        "your_data/privacy_map",
        {"source": _SAMPLE, "pm_kind": "output", "pm_sigma": PAPER_SIGMA, "pm_lambda": PAPER_LAM, "pm_delta": -6}, seconds=0.9,
    ),
    Exhibit(
        "wang-fig-1", _SOURCE, "Fig. 1",
        "One release seen three ways: ε of each row, pDP for all records, and the worst case over data sets.",
        {"σ": PAPER_SIGMA, **_STATED}, partial(rows_by_epsilon, **_GIVEN),
        (*_assumed(_N), "The caption prints the ridge estimate with Xy for Xᵀy; computed is the latter."),
        "your_data/paper_figures", _PAGE, seconds=1.0, seed=_SEED,
    ),
    *(
        Exhibit(
            f"wang-fig-2-{pane}", _SOURCE, f"Fig. 2, {pane}", caption, {"δ": PAPER_DELTA}, partial(panes, pane, **_GIVEN | {"n": _MANY}),
            (*_assumed(_MANY), more), "your_data/paper_figures", _PAGE | {"pf_n": _MANY}, seconds=11, seed=_SEED, shared="many rows",
        )
        for pane, caption, more in (
            ("left", "Worst case and rows of linear regression with Gaussian noise, as the noise grows.",
             "What varies on the horizontal axis is not printed: here the noise σ."),
            ("right", "Privacy against excess risk of one posterior sample.",
             "The grid of temperatures γ is not printed: here 10⁻³ to 10². The exponential mechanism needs a bounded ‖θ‖: its line is of "
             "the same posterior cut off at 1, another release."),
        )
    ),
)  # fmt: skip
