"""Figure 2 and Tables 1 and 2 of the objective-perturbation paper: test accuracy of private training."""

from functools import cache
from pathlib import Path

import numpy as np

from dpcore.data.dataset import Dataset
from dpcore.data.samples.published import adult, gisette, synthetic_h, synthetic_l
from dpcore.exhibits.gallery.exhibit import Drawing, Finding, Shown, Stroke, compared
from dpcore.exhibits.training.published import TABLE_EPSILONS, TABLES, algorithm_1, dp_sgd
from dpcore.exhibits.training.splits import split
from dpcore.learners.dp_sgd import runs_for

_DELTA = 1e-5
_OURS, _ROLE = "Algorithm 1", "Algorithm 1, published settings"
_NEAR = 1.0  # tolerance in percentage points, in addition to two standard errors of our mean
_COMPLETE = 45_222  # complete records of Adult
_AXES = ("ε", "test accuracy (per cent)")


def whole_file(files: tuple[str, ...]) -> bytes:
    """The content of all files, one after the other."""
    return b"\n".join(Path(file).read_bytes() for file in files)


@cache
def _data(name: str, files: tuple[str, ...]) -> Dataset:
    """A data set with a bias column of 1, as in the source: rows of norm √2; Adult and Gisette from files."""
    if name == "gisette":
        return gisette(*files)
    if name == "adult":
        return adult(whole_file(files), "published")
    return synthetic_h("published") if name == "synthetic_h" else synthetic_l(form="published")


@cache
def paper_accuracy(
    epsilon: float, repeats: int, seed: int, data: str = "synthetic_l", files: tuple[str, ...] = ()
) -> tuple[float, float]:
    """Mean test accuracy of Algorithm 1 over random splits at the source's settings, and its standard error; per cent.

    Parameters
    ----------
    epsilon : target ε, nats
    repeats : number of splits
    seed : seed of splits and noise
    data : key in `PUBLISHED`
    files : paths, for Adult and Gisette
    """
    learner = algorithm_1("logistic", epsilon, _DELTA)
    found = []
    for repeat in range(repeats):
        parts = split(_data(data, files), 0.2, repeat, seed)
        theta = learner.fit(parts.train, np.random.default_rng([seed, repeat, 1])).theta
        found.append(100 * float(np.mean((parts.X_test @ theta > 0) == (parts.y_test > 0))))
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(repeats))


def _printed(table: str) -> tuple[Stroke, ...]:
    x = np.array(TABLE_EPSILONS)
    return tuple(
        Stroke(
            f"printed, not computed: {name}" if name != _OURS else f"printed: {name}", x, np.array(values), "printed"
        )
        for name, values in TABLES[table].accuracy.items()
    )


def by_budget(
    epsilons: tuple[float, ...], repeats: int, seed: int, data: str = "synthetic_l", files: tuple[str, ...] = ()
) -> Shown:
    """Test accuracy of Algorithm 1 against ε, with the printed numbers of all three methods if there are any.

    Parameters
    ----------
    epsilons : target values of ε, nats
    repeats, seed : as in `paper_accuracy`
    data : key in `PUBLISHED`
    files : paths, for Adult and Gisette
    """
    found = {epsilon: paper_accuracy(epsilon, repeats, seed, data, files) for epsilon in epsilons}
    mean, error = (np.array([one[k] for one in found.values()]) for k in (0, 1))
    ours = Stroke(f"{_OURS}, computed", np.array(epsilons), mean, "line", error, _ROLE)
    table = next((key for key, one in TABLES.items() if one.data == data), None)
    checks = []
    for epsilon, printed in zip(TABLE_EPSILONS, TABLES[table].accuracy[_OURS] if table else (), strict=False):
        (at, spread), what = found[epsilon], f"{_OURS} has the printed accuracy at ε = {epsilon:g}, per cent"
        checks.append(compared(what, printed, at, _NEAR + 2 * spread))
    for name, values in TABLES[table].accuracy.items() if table else ():
        if name != _OURS:
            said = f"printed {', '.join(f'{value:g}' for value in values)}; not computed here, minutes for each ε"
            checks.append(Finding(f"{name} has the printed accuracies, per cent", None, said))
    if data == "adult":
        count, what = _data(data, files).n_samples, "The files hold all complete records of Adult"
        checks.append(Finding(what, count == _COMPLETE, f"{count} of {_COMPLETE}"))
    if checks and len(epsilons) > len(TABLE_EPSILONS):
        ends = f"{mean[0]:.1f} at ε = {epsilons[0]:g}, {mean[-1]:.1f} at ε = {epsilons[-1]:g}"
        checks.append(Finding("Accuracy grows with the budget", bool(mean[-1] > mean[0]), ends))
    return Shown(Drawing((ours, *(_printed(table) if table else ())), *_AXES, x_log=True), tuple(checks))


def printed_only(table: str = "") -> Shown:
    """The printed numbers alone."""
    return Shown(Drawing(_printed(table) if table else (), *_AXES, x_log=True), ())


def tuning_grids(sgd: tuple[float, float], ours: tuple[float, float], mean: float) -> Shown:
    """Table of section 5: the learning rates tried, with their printed ends, and the mean number μ of tuning runs."""
    place, learner = np.arange(1.0, 11.0), dp_sgd("honest")
    rates = np.geomspace(*learner.rates, learner.candidates)
    ends = np.array([*sgd, *ours])
    strokes = (
        Stroke("DP-SGD", place, rates, "points", role="DP-SGD, honest"),
        Stroke("Algorithm 1", place, np.linspace(*ours, 10), "points", role=_ROLE),
        Stroke("printed: ends of both grids", np.array([1.0, 10.0, 1.0, 10.0]), ends, "printed"),
    )
    what = "The number of rates K > 10 with probability 0.9 at the printed μ"
    tried = compared(what, mean, runs_for(learner.candidates), 0.05)
    return Shown(Drawing(strokes, "learning rate tried, by size", "learning rate", y_log=True, x_whole=True), (tried,))
