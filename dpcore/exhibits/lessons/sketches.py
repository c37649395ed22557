"""The figure of each step of the lecture as it is printed; the audience first sketches it on empty axes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.accountants import compose
from dpcore.data.samples import load_sample
from dpcore.exhibits.gallery.exhibit import Drawing, Stroke
from dpcore.exhibits.home.study import bells
from dpcore.exhibits.learning_limits.packing import Packing
from dpcore.exhibits.lessons.lecture import drawn_excess, gap, of_equal_budget
from dpcore.individual.result import individual_privacy
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.mechanisms.randomized_response import RandomizedResponse

_LOOKS = ("line", "dash", "dot")


def _drawing(x: np.ndarray, strokes: dict[str, np.ndarray], x_title: str, y_title: str, **axes: Any) -> Drawing:
    named = zip(strokes.items(), _LOOKS, strict=False)
    return Drawing(tuple(Stroke(name, x, y, look) for (name, y), look in named), x_title, y_title, **axes)


def _bells() -> Drawing:
    without, including = bells(1.0)
    return _drawing(without.x, {one.name: one.y for one in (without, including)}, "published count", "density")


def _wider() -> Drawing:
    strokes = [
        Stroke(f"{curve.name}, σ = {sigma:g}", curve.x, curve.y, look)
        for sigma, looks in ((5.0, ("line", "dash")), (1.0, ("dot", "dashdot")))
        for curve, look in zip(bells(sigma), looks, strict=True)
    ]
    return Drawing(tuple(strokes), "published count", "density")


def _curves() -> Drawing:
    epsilon = np.linspace(0.0, 2.0, 81)
    return _drawing(epsilon, of_equal_budget(1.0, epsilon), "ε (nats)", "δ")


def _growth() -> Drawing:
    k = np.arange(1.0, 101.0)
    exact = np.array([float(Gaussian(10.0 / math.sqrt(one)).epsilon(1e-5)) for one in k])
    strokes = {"together": exact, "one answer × k": exact[0] * k, "one answer × √k": exact[0] * np.sqrt(k)}
    return _drawing(k, strokes, "answers k", "ε at δ = 10⁻⁵")


def _accountants() -> Drawing:
    epsilon = np.linspace(0.0, 11.0, 111)
    answers = [(RandomizedResponse(epsilon=0.1), 100)]
    found = {}
    for name, method in (("PLD", "pld"), ("Rényi", "renyi"), ("Basic", "basic")):
        delta = compose(answers, method=method).upper.delta(epsilon)
        found[name] = np.where(delta >= 1e-10, delta, np.nan)
    return _drawing(epsilon, found, "ε (nats)", "δ", y_log=True)


def _gap() -> Drawing:
    epsilon = np.linspace(0.0, 1.0, 61)
    published, tight = gap(10.0, 5.0, epsilon)
    found = {"exact worst case": tight, "published bound": published}
    return _drawing(epsilon, found, "ε (nats)", "δ", y_log=True)


def _packing() -> Drawing:
    held = np.cumsum(Packing(256, 4, 0.5).forced)
    return _drawing(
        np.arange(1.0, held.size + 1), {"forced into the bins": held, "all there is": np.ones(held.size)},
        "bins 1 to …", "probability",
    )  # fmt: skip


def _rows() -> Drawing:
    found = individual_privacy(load_sample("diabetes"), PosteriorSampling(gamma=1.0, lam=1.0), 1e-6)
    epsilon = np.sort(found.epsilon)
    share = np.arange(1, epsilon.size + 1) / epsilon.size
    return _drawing(epsilon, {"patients": share}, "ε of a patient", "share with at most this ε")


def _draws() -> Drawing:
    epsilon = np.geomspace(0.1, 8.0, 41)
    excess = np.array([drawn_excess(float(one)) for one in epsilon])
    return _drawing(epsilon, {"average of a draw": excess}, "ε (nats)", "excess over the best", x_log=True, y_log=True)


_DRAWN: dict[str, Callable[[], Drawing]] = {
    "bells": _bells, "wider": _wider, "curves": _curves, "growth": _growth, "accountants": _accountants, "gap": _gap,
    "packing": _packing, "rows": _rows, "draws": _draws,
}  # fmt: skip


def sketch(name: str) -> Drawing:
    """The figure of a step, by the name that the step gives it."""
    return _DRAWN[validation.choice("name", name, tuple(_DRAWN))]()
