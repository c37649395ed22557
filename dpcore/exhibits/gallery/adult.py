"""Figure 6 of the noise-augmentation paper: misclassification on Adult, from files that a user has."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from dpcore.data.samples.published import adult as read_adult
from dpcore.errors import DataError
from dpcore.exhibits.gallery.augmentation import look_of, stated
from dpcore.exhibits.gallery.exhibit import Drawing, Exhibit, Finding, Shown, Stroke
from dpcore.exhibits.gallery.trained import whole_file
from dpcore.exhibits.noise_augmentation import adult
from dpcore.exhibits.noise_augmentation.claims import simulation_claims
from dpcore.exhibits.noise_augmentation.settings import from_dataset
from dpcore.exhibits.noise_augmentation.simulation import Simulation, summarise_simulation

_SEED = 0
_BUDGETS, _PENALTIES, _DELTA = (0.1, 0.4, 0.7, 1.0), (0.1, 0.4, 1.0), 1e-4
_AXES = ("ε", "misclassified (per cent)")


def adult_numbers() -> Shown:
    """Figure 6: the two misclassification rates that the text prints."""
    return Shown(Drawing(_printed_rates(), *_AXES, x_range=(0.1, 1.0)), ())


def _printed_rates() -> tuple[Stroke, ...]:
    rates = adult.PRINTED_RATES
    return tuple(
        Stroke(f"printed: {title}", np.array([1.0]), np.array([100 * rates[name]]), "printed")
        for name, title in (("VS+", "NAPP-VS+"), ("lasso", "not private"))
    )


def adult_errors(
    epsilons: tuple[float, ...], strengths: tuple[float, ...], repeats: int, seed: int, files: tuple[str, ...]
) -> Shown:
    """Figure 6 from the files of Adult: the source's split, Λ₀ and T where they hold all its records, else a random split.

    Parameters
    ----------
    epsilons, strengths : values of ε and Λ
    repeats : draws of the noise
    seed : of the noise
    files : paths of adult.data and adult.test
    """
    case = from_dataset(read_adult(whole_file(files), form="rows"), "logistic")
    whole = adult.is_adult(case)
    train = (
        adult.TRAIN_RECORDS
        if whole
        else int(len(case.y) * adult.TRAIN_RECORDS / (adult.TRAIN_RECORDS + adult.TEST_RECORDS))
    )
    protocol = adult.AS_IN_SOURCE if whole else replace(adult.AS_IN_SOURCE, ordered=False)
    study = Simulation(case, train, epsilons, strengths, repeats, _DELTA, seed=seed, protocol=protocol)
    summary = summarise_simulation(study, {point.key: point for point in study.run({})})
    if summary is None:
        raise DataError("No fit on these records converged; give all records of adult.data and adult.test.")
    strokes = []
    for name in ("lasso", "NAPP", "DP-ERM", "VS", "VS+"):
        least = np.array([100 * np.nanmin(summary.of(name, "prediction error", epsilon)) for epsilon in epsilons])
        strokes.append(Stroke(name, np.array(epsilons), least, look_of(name), role=name))
    records = Finding("The files hold the records of the source, 30 162 and 15 060", whole, f"{len(case.y)} records")
    drawing = Drawing((*strokes, *_printed_rates()), "ε", "misclassified (per cent), least over Λ", x_range=(0.1, 1.0))
    return Shown(drawing, (records, *stated(simulation_claims(summary), "Fig. 6")))


EXHIBITS = (
    Exhibit(
        "li-liu-fig-6", "li-liu-napp", "Fig. 6", "Misclassification on Adult against ε.", {"Λ": "0.1, 0.4, 1", "Λ₀": "1/ε", "T": 80},
        adult_numbers,
        ("Two numbers are printed, both at ε = 1, without their Λ. Not printed: how Adult was prepared, δ (10⁻⁴, as elsewhere in the "
         "main text), and the number of repeats (here two).",),
        "your_data/noise_augmentation",
        {
            "na_view": "study", "na_data": "upload", "na_size": "small", "na_noise": "gaussian", "na_delta": -4, "na_source": True,
            "na_full": False, "na_figure": "budget", "na_loss": "logistic", "source": "upload",
        },
        "Missing are the files of Adult: adult.data and adult.test of the UCI repository (30 162 and 15 060 complete records), which are "
        "not part of this package. Load their complete records, one below the other under a line of names, on the page that Open "
        "shows, or give both files to the command: --adult adult.data adult.test.",
        needs="adult", given=partial(adult_errors, _BUDGETS, _PENALTIES, 2, _SEED),
    ),
)  # fmt: skip
