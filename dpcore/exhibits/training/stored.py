"""Stored releases of the studies that a page opens with. The key of each release contains all that it depends on.

`python -m dpcore.exhibits.training.stored` computes releases that the files do not hold. To compute all of a file
again, delete it first.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.data.samples.published import synthetic_h, synthetic_l
from dpcore.data.samples.synthetic import linear_data
from dpcore.exhibits.training.published import EPSILONS, TABLE_EPSILONS, algorithm_1, dp_sgd
from dpcore.exhibits.training.same_data import name_of
from dpcore.exhibits.training.study import LearnerComparison, TrainedPoint
from dpcore.learners import AMP, AdaOPS, NonPrivate, OutputPerturbationLearner, PosteriorSamplingLearner

# Version of the files. If a learner's random draws change, raise it, so that all releases are computed again.
VERSION = 1
_DELTA, _SEED, _SPLITS = 1e-5, 0, 10
_FOLDER = "releases"
_DIGITS = 10
_LINEAR = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)


def _published(data: Any, sgd_splits: int) -> tuple[LearnerComparison, ...]:
    """The studies of Fig. 2 of the source; DP-SGD has only a few splits, since its releases take long."""
    sgd = {tuning: dp_sgd(tuning) for tuning in ("honest", "dishonest")}
    return (
        _study(data, {"published": algorithm_1(), "without privacy": NonPrivate("logistic")}, EPSILONS),
        _study(data, sgd, EPSILONS, sgd_splits),
    )


def _synthetic_l() -> tuple[LearnerComparison, ...]:
    data = synthetic_l(form="published")
    return (_study(data, {"tight": AMP("logistic", 1.0)}, TABLE_EPSILONS), *_published(data, 3))


def _linear() -> tuple[LearnerComparison, ...]:
    learners = {
        "tight": AMP("squared", 1.0),
        "output": OutputPerturbationLearner("squared", 1.0),
        "posterior": PosteriorSamplingLearner(1.0),
        "adaops": AdaOPS(1.0),
        "without privacy": NonPrivate("squared"),
    }
    return (_study(linear_data(2000, 10, 0.1, 0), learners, _LINEAR),)


def _study(data: Any, learners: Any, epsilons: tuple[float, ...], splits: int = _SPLITS) -> LearnerComparison:
    return LearnerComparison(data, learners, epsilons, _DELTA, splits, seed=_SEED)


STORED: dict[str, Callable[[], tuple[LearnerComparison, ...]]] = {
    "synthetic_l": _synthetic_l,
    "synthetic_h": lambda: _published(synthetic_h("published"), 1),
    "linear": _linear,
}


@cache
def stored_points() -> dict[str, TrainedPoint]:
    """Every stored release by its key, under its name in the files."""
    return {point.key: point for name in STORED for point in _read(name)}


def _read(name: str) -> Iterator[TrainedPoint]:
    file = files("dpcore.exhibits.training") / _FOLDER / f"{name}.json"
    held: Any = json.loads(file.read_text("utf-8")) if file.is_file() else {"version": VERSION, "points": []}
    if held["version"] == VERSION:
        for point in held["points"]:
            fields: dict[str, Any] = {key: np.nan if value is None else value for key, value in point.items()}
            yield TrainedPoint(**fields)


def _write(name: str, points: list[TrainedPoint], study: LearnerComparison) -> None:
    about = {
        "version": VERSION, "data": name, "sha256": name_of(study.dataset), "delta": study.delta, "seed": study.seed,
        "test_share": study.test_share,
    }  # fmt: skip
    lines = ",\n".join(json.dumps(_plain(dataclasses.asdict(point)), ensure_ascii=False) for point in points)
    path = Path(str(files("dpcore.exhibits.training"))) / _FOLDER / f"{name}.json"
    path.write_text(f'{json.dumps(about)[:-1]}, "points": [\n{lines}\n]}}\n', "utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
    return value


def main() -> None:
    """Compute missing releases, and write the file after every release."""
    for name, make in STORED.items():
        found, studies = {point.key: point for point in _read(name)}, make()
        for study in studies:
            for point in study.run(tuple(found)):
                found[point.key] = dataclasses.replace(point, seconds=round(point.seconds, 2))
                _write(name, list(found.values()), study)


if __name__ == "__main__":
    main()
