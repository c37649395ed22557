"""The simulation figures of the noise-augmentation paper, Figs. 3, 4, 5, 7, 8 and S.1 to S.4, at fewer repeats."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from dpcore.studies.gallery.augmentation import stated
from dpcore.studies.gallery.exhibit import Drawing, Exhibit, Shown, Stroke
from dpcore.studies.napp.claims import Statement, simulation_claims
from dpcore.studies.napp.settings import SETTINGS
from dpcore.studies.napp.simulation import Simulation, Summary, summarise_simulation

_SOURCE, _PAGE, _SEED = "li-liu-napp", "your_data/noise_augmentation", 0
_REPEATS, _EPSILONS, _STRENGTHS = 8, (0.4, 1.0), 6
_PRIVATE = ("NAPP", "DP-ERM", "VS", "VS+")
_FIGURES = {  # what is drawn, of whom
    "Fig. 3": ("distance to lasso", ("MOOR, b = 0", "sum, b = 0"), "distance to the lasso"),
    "Fig. 4": ("true positives", ("lasso", *_PRIVATE), "true positive rate"),
    "Fig. 5": ("prediction error", ("lasso", *_PRIVATE), "prediction error"),
    "Fig. 7": ("retrieved", _PRIVATE, "retrieved share"),
    "Fig. 8": ("prediction error", ("NAPP", "NAPP, recycled", "VS+", "VS+, recycled"), "prediction error"),
}
_VIEWS = {
    "Fig. 3": "distance",
    "Fig. 4": "selection",
    "Fig. 5": "prediction",
    "Fig. 7": "retrieval",
    "Fig. 8": "recycling",
}
_CAPTIONS = {
    "Fig. 3": "Distance to the lasso without noise: one term for both purposes against two.",
    "Fig. 4": "Selected variables: share of true ones found against share of zeros selected.",
    "Fig. 5": "Error of prediction on new data as the penalty grows.",
    "Fig. 7": "Share of the budget that the source hands back.",
    "Fig. 8": "Error of prediction with the retrieved budget spent again.",
}
_IN_SUPPLEMENT = {"Fig. 4": "Fig. S.1", "Fig. 5": "Fig. S.2", "Fig. 7": "Fig. S.3", "Fig. 8": "Fig. S.4"}
_DELTAS = {False: 1e-4, True: 0.0}  # of the main text and of the supplement


@cache
def _simulation(model: str, delta: float, repeats: int, seed: int) -> tuple[Summary, tuple[Statement, ...]]:
    setting = SETTINGS[model]
    low, high = setting.strengths
    strengths = tuple(float(f"{value:.4g}") for value in np.geomspace(low, high, _STRENGTHS))
    study = Simulation(model, setting.sizes[1], _EPSILONS, strengths, repeats, delta, seed=seed)
    points = {point.key: point for point in study.run({})}
    summary = summarise_simulation(study, points)
    if summary is None:
        return Summary((), (), ()), ()
    return summary, tuple(simulation_claims(summary))


def simulated_figure(figure: str, model: str, delta: float, repeats: int, seed: int) -> Shown:
    """One figure of section 5 for one model, at ε = 1 and the larger n.

    Parameters
    ----------
    figure : number in the main text
    model : key of `SETTINGS`
    delta : of the noise; 0 for the supplement
    repeats : data sets for each ε
    seed : of data and noise
    """
    summary, statements = _simulation(model, delta, repeats, seed)
    score, methods, title = _FIGURES[figure]
    top, x = max(summary.epsilons), np.array(summary.strengths)
    strokes = []
    for name in methods:
        y = summary.of(name, score, top)
        if figure == "Fig. 4":
            strokes.append(Stroke(name, summary.of(name, "false positives", top), y))
        else:
            strokes.append(Stroke(name, x, y, error=summary.error_of(name, score, top)))
    rates = figure == "Fig. 4"
    drawing = Drawing(tuple(strokes), "false positive rate" if rates else "lasso strength Λ", title, not rates)
    return Shown(drawing, stated(list(statements), figure, refutes=False))


_SMALL = "The text says of small n or ε that only VS+ has no false positives; here n and ε are the larger ones."


def _exhibits(supplement: bool) -> tuple[Exhibit, ...]:
    delta = _DELTAS[supplement]
    found = []
    for figure in _IN_SUPPLEMENT if supplement else _FIGURES:
        for model in ("linear",) if figure == "Fig. 8" else SETTINGS:
            number = _IN_SUPPLEMENT[figure] if supplement else figure
            n = SETTINGS[model].sizes[1]
            state: dict[str, object] = {
                "na_view": "study",
                "na_data": model,
                "na_size": "large",
                "na_figure": _VIEWS[figure],
            }
            state |= (
                {"na_full": True, "na_noise": "spherical"} if supplement else {"na_noise": "gaussian", "na_delta": -4}
            )
            found.append(
                Exhibit(
                    f"li-liu-{number.lower().replace('. ', '-').replace('.', '')}-{model}", _SOURCE,
                    f"{number}, {SETTINGS[model].title}", _CAPTIONS[figure], {"n": n, "ε": _EPSILONS[-1], "δ": delta},
                    partial(simulated_figure, figure, model, delta, _REPEATS, _SEED),
                    (
                        f"{_REPEATS} repeats instead of 500, {_STRENGTHS} values of Λ and ε = 0.4 and 1: the page runs more.",
                        "The gradient bounds ζ, the bound on y, the weights of Table 2 (corrected) and the values of Λ are ours; the "
                        "source prints none.",
                        *((_SMALL,) if figure == "Fig. 4" else ()),
                        *(("The caption says δ = 10⁻⁴, the text ε-DP: here δ = 0.",) if supplement else ()),
                    ),
                    _PAGE, state, seconds=10, seed=_SEED, shared=f"{model} {delta}",
                )
            )  # fmt: skip
    return tuple(found)


EXHIBITS = (*_exhibits(False), *_exhibits(True))
