"""The simulation figures of the noise-augmentation paper, Figs. 3, 4, 5, 7, 8 and S.1 to S.4, at fewer repeats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from dpcore.exhibits.gallery.augmentation import look_of, stated
from dpcore.exhibits.gallery.exhibit import Drawing, Exhibit, Shown, Stroke
from dpcore.exhibits.noise_augmentation.claims import Statement, simulation_claims
from dpcore.exhibits.noise_augmentation.settings import SETTINGS
from dpcore.exhibits.noise_augmentation.simulation import Simulation, Summary, summarise_simulation

_SOURCE, _PAGE, _SEED = "li-liu-napp", "your_data/noise_augmentation", 0
_REPEATS, _EPSILONS, _STRENGTHS = 8, (0.4, 1.0), 6
_PRIVATE = ("NAPP", "DP-ERM", "VS", "VS, sum", "VS+", "VS+, sum")
_RECYCLED = ("NAPP", "NAPP, recycled", "VS", "VS, recycled", "VS+", "VS+, recycled")
_SELECTION = ("false positives", "true positives")


@dataclass(frozen=True)
class _Figure:
    """One figure of section 5.

    Parameters
    ----------
    score : key of `STUDY_SCORES`; none for the rates of selection
    methods : keys of `COMPARED`
    y_title, caption : as shown
    view : of the page
    supplement : its number there
    """

    score: str
    methods: tuple[str, ...]
    y_title: str
    caption: str
    view: str
    supplement: str = ""


_FIGURES = {
    "Fig. 3": _Figure(
        "distance to lasso", ("MOOR, b = 0", "sum, b = 0"), "distance to the lasso",
        "Distance to the lasso without noise: one term for both purposes against two.", "distance",
    ),
    "Fig. 4": _Figure(
        "", ("lasso", *_PRIVATE), "true positive rate", "Selected variables: share of true ones found against share of zeros selected.",
        "selection", "Fig. S.1",
    ),
    "Fig. 5": _Figure(
        "prediction error", ("lasso", *_PRIVATE), "prediction error", "Error of prediction on new data as the penalty grows.",
        "prediction", "Fig. S.2",
    ),
    "Fig. 7": _Figure(
        "retrieved", _PRIVATE, "retrieved share", "Share of the budget that the source hands back.", "retrieval", "Fig. S.3",
    ),
    "Fig. 8": _Figure(
        "prediction error", _RECYCLED, "prediction error", "Error of prediction with the retrieved budget spent again.",
        "recycling", "Fig. S.4",
    ),
    "Fig. 8, selection": _Figure(
        "", _RECYCLED, "true positive rate", "Selected variables with the retrieved budget spent again.", "recycling",
        "Fig. S.4, selection",
    ),
}  # fmt: skip
_DELTAS = {False: 1e-4, True: 0.0}  # of the main text and of the supplement
_SIZES = ("small", "large")
_AT_SIZE = {  # statements that the text makes of one size only, by figure
    ("Fig. 4", "small"): ("Fig. 4, 2", "Fig. 4, 3"),
    ("Fig. 4", "large"): ("Fig. 4, 1", "Fig. 4, 3"),
    ("Fig. 8, selection", "large"): ("Fig. 8 (selection)",),
}


@cache
def _simulation(model: str, size: str, delta: float, repeats: int, seed: int) -> tuple[Summary, tuple[Statement, ...]]:
    setting = SETTINGS[model]
    low, high = setting.strengths
    strengths = tuple(float(f"{value:.4g}") for value in np.geomspace(low, high, _STRENGTHS))
    n = setting.sizes[_SIZES.index(size)]
    study = Simulation(model, n, _EPSILONS, strengths, repeats, delta, seed=seed)
    points = {point.key: point for point in study.run({})}
    summary = summarise_simulation(study, points)
    if summary is None:
        return Summary((), (), ()), ()
    return summary, tuple(simulation_claims(summary))


def simulated_figure(figure: str, model: str, size: str, delta: float, repeats: int, seed: int) -> Shown:
    """One figure of section 5 for one model: at ε = 0.4 and the smaller n, or at ε = 1 and the larger.

    Parameters
    ----------
    figure : number in the main text
    model : key of `SETTINGS`
    size : "small" or "large"
    delta : of the noise; 0 for the supplement
    repeats : data sets for each ε
    seed : of data and noise
    """
    summary, statements = _simulation(model, size, delta, repeats, seed)
    drawn, epsilon = _FIGURES[figure], _EPSILONS[_SIZES.index(size)]
    strokes = []
    for name in drawn.methods:
        look = look_of(name)
        if drawn.score:
            y, error = summary.of(name, drawn.score, epsilon), summary.error_of(name, drawn.score, epsilon)
            strokes.append(Stroke(name, np.array(summary.strengths), y, look, error, name))
        else:
            x, y = (summary.of(name, score, epsilon) for score in _SELECTION)
            strokes.append(Stroke(name, x, y, look, role=name))
    x_title = "lasso strength Λ" if drawn.score else "false positive rate"
    drawing = Drawing(
        tuple(strokes), x_title, drawn.y_title, bool(drawn.score), x_range=None if drawn.score else (0.0, 1.0)
    )
    wanted = _AT_SIZE.get((figure, size), (figure,))
    return Shown(drawing, stated([one for one in statements if any(_about(one, where) for where in wanted)], ""))


def _about(statement: Statement, where: str) -> bool:
    return statement.where == where or statement.where.startswith(f"{where}, ")


_PANELS = {
    "Fig. 3": "The source draws two panels for each model and does not say of what: here one.",
    "Fig. 8": "The source draws eight panels, two n and four ε: here one.",
    "Fig. 8, selection": "The source draws eight panels, two n and four ε: here one.",
}
_EIGHT = "The source draws eight panels for each model, two n and four ε: here two cards, the small n and ε and the large ones."
_ONE_OF_EIGHT = "The source draws eight panels for each model, two n and four ε: here one."


def _panels(figure: str) -> Iterator[tuple[str, str]]:
    """Model and size of each card."""
    for model in ("linear",) if figure.startswith("Fig. 8") else SETTINGS:
        for size in _SIZES if figure == "Fig. 4" else ("large",):
            yield model, size


def _exhibits(supplement: bool) -> Iterator[Exhibit]:
    delta = _DELTAS[supplement]
    for figure, drawn in _FIGURES.items():
        if supplement and not drawn.supplement:
            continue
        number = drawn.supplement if supplement else figure
        for model, size in _panels(figure):
            n, epsilon = SETTINGS[model].sizes[_SIZES.index(size)], _EPSILONS[_SIZES.index(size)]
            both = figure == "Fig. 4"
            state: dict[str, object] = {
                "na_view": "study", "na_data": model, "na_size": size, "na_figure": drawn.view, "na_full": supplement,
                f"na_show_{supplement}_True": epsilon, "na_noise": "spherical" if supplement else "gaussian",
            }  # fmt: skip
            yield Exhibit(
                f"li-liu-{number.lower().replace('. ', '-').replace('.', '').replace(', ', '-')}-{model}"
                + ("-small" if size == "small" else ""),
                _SOURCE, f"{number}, {SETTINGS[model].title}" + (f", n = {n}" if both else ""), drawn.caption,
                {"n": n, "ε": epsilon, "δ": delta}, partial(simulated_figure, figure, model, size, delta, _REPEATS, _SEED),
                (
                    f"{_REPEATS} repeats instead of 500, and {_STRENGTHS} values of Λ: the page runs more. "
                    + (_EIGHT if both else _PANELS.get(figure, _ONE_OF_EIGHT)),
                    "The gradient bounds ζ, the bound on y, the weights of Table 2 (corrected) and the values of Λ are ours; the "
                    "source prints none.",
                    *(("The caption says δ = 10⁻⁴, the text ε-DP: here δ = 0.",) if supplement else ()),
                ),
                _PAGE, state | ({} if supplement else {"na_delta": -4}), seconds=5, seed=_SEED, shared=f"{model} {size} {delta}",
            )  # fmt: skip


EXHIBITS = (*_exhibits(False), *_exhibits(True))
