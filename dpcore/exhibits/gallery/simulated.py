"""The simulation figures of the noise-augmentation paper with fewer repeats, and its Fig. 6 on Adult from files."""

from dataclasses import replace
from functools import cache

import numpy as np

from dpcore.data.samples.published import adult as read_adult
from dpcore.errors import DataError
from dpcore.exhibits.gallery.augmentation import look_of, stated
from dpcore.exhibits.gallery.exhibit import Drawing, Finding, Shown, Stroke
from dpcore.exhibits.gallery.trained import whole_file
from dpcore.exhibits.noise_augmentation import adult
from dpcore.exhibits.noise_augmentation.claims import Statement, simulation_claims
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, from_dataset
from dpcore.exhibits.noise_augmentation.simulation import Simulation, Summary, summarise_simulation

_EPSILONS, _STRENGTHS = (0.4, 1.0), 6
_DELTA = 1e-4  # δ of the main text
_PRIVATE = ("NAPP", "DP-ERM", "VS", "VS, sum", "VS+", "VS+, sum")
_RECYCLED = ("NAPP", "NAPP, recycled", "VS", "VS, recycled", "VS+", "VS+, recycled")
_SELECTION = ("false positives", "true positives")

_FIGURES = {  # section 5: key of `STUDY_SCORES` ("" for rates of selection), keys of `COMPARED`, title of the axis
    "Fig. 3": ("distance to lasso", ("MOOR, b = 0", "sum, b = 0"), "distance to the lasso"),
    "Fig. 4": ("", ("lasso", *_PRIVATE), "true positive rate"),
    "Fig. 5": ("prediction error", ("lasso", *_PRIVATE), "prediction error"),
    "Fig. 7": ("retrieved", _PRIVATE, "retrieved share"),
    "Fig. 8": ("prediction error", _RECYCLED, "prediction error"),
    "Fig. 8, selection": ("", _RECYCLED, "true positive rate"),
}
_SIZES = ("small", "large")
_AT_SIZE = {  # statements that the text makes about one size only, by figure and size
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
    summary = _summary(Simulation(model, n, _EPSILONS, strengths, repeats, delta, seed=seed))
    return (summary, tuple(simulation_claims(summary))) if summary else (Summary((), (), ()), ())


def _summary(study: Simulation) -> Summary | None:
    return summarise_simulation(study, {point.key: point for point in study.run({})})


def simulated_figure(figure: str, model: str, size: str, delta: float, repeats: int, seed: int) -> Shown:
    """One figure of section 5 for one model: at ε = 0.4 and the smaller n, or at ε = 1 and the larger.

    Parameters
    ----------
    figure : number in the main text
    model : key of `SETTINGS`
    size : "small" or "large"
    delta : δ of the noise; 0 for the figures of the supplement
    repeats : data sets for each ε
    seed : seed of data and noise
    """
    summary, statements = _simulation(model, size, delta, repeats, seed)
    (score, methods, y_title), epsilon = _FIGURES[figure], _EPSILONS[_SIZES.index(size)]
    strokes = []
    for name in methods:
        rates = (summary.of(name, one, epsilon) for one in _SELECTION)
        x, y = (np.array(summary.strengths), summary.of(name, score, epsilon)) if score else rates
        error = summary.error_of(name, score, epsilon) if score else None
        strokes.append(Stroke(name, x, y, look_of(name), error, name))
    x_title, x_range = ("lasso strength Λ", None) if score else ("false positive rate", (0.0, 1.0))
    drawing = Drawing(tuple(strokes), x_title, y_title, bool(score), x_range=x_range)
    wanted = _AT_SIZE.get((figure, size), (figure,))
    return Shown(drawing, stated([one for one in statements if any(_about(one, where) for where in wanted)], ""))


def _about(statement: Statement, where: str) -> bool:
    return statement.where == where or statement.where.startswith(f"{where}, ")


def adult_numbers() -> Shown:
    """Figure 6: the two misclassification rates that the text prints."""
    return Shown(Drawing(_printed_rates(), "ε", "misclassified (per cent)", x_range=(0.1, 1.0)), ())


def _printed_rates() -> tuple[Stroke, ...]:
    rates = adult.PRINTED_RATES
    return tuple(
        Stroke(f"printed: {title}", np.array([1.0]), np.array([100 * rates[name]]), "printed")
        for name, title in (("VS+", "NAPP-VS+"), ("lasso", "not private"))
    )


def adult_errors(
    epsilons: tuple[float, ...], strengths: tuple[float, ...], repeats: int, seed: int, files: tuple[str, ...]
) -> Shown:
    """Figure 6 from the files of Adult, with the source's Λ₀ and T; with its split if the files hold all its records.

    Parameters
    ----------
    epsilons, strengths : values of ε and Λ
    repeats : draws of the noise
    seed : seed of the noise
    files : paths of adult.data and adult.test
    """
    case = from_dataset(read_adult(whole_file(files), form="rows"), "logistic")
    whole = adult.is_adult(case)
    share = adult.TRAIN_RECORDS / (adult.TRAIN_RECORDS + adult.TEST_RECORDS)
    train = adult.TRAIN_RECORDS if whole else int(len(case.y) * share)
    protocol = replace(adult.AS_IN_SOURCE, ordered=whole)
    summary = _summary(Simulation(case, train, epsilons, strengths, repeats, _DELTA, seed=seed, protocol=protocol))
    if summary is None:
        raise DataError("No fit on these records converged; give all records of adult.data and adult.test.")
    strokes = []
    for name in ("lasso", "NAPP", "DP-ERM", "VS", "VS+"):
        least = np.array([100 * np.nanmin(summary.of(name, "prediction error", epsilon)) for epsilon in epsilons])
        strokes.append(Stroke(name, np.array(epsilons), least, look_of(name), role=name))
    records = Finding("The files hold the records of the source, 30 162 and 15 060", whole, f"{len(case.y)} records")
    drawing = Drawing((*strokes, *_printed_rates()), "ε", "misclassified (per cent), least over Λ", x_range=(0.1, 1.0))
    return Shown(drawing, (records, *stated(simulation_claims(summary), "Fig. 6")))
