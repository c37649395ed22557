"""Figures and tables of the noise-augmentation paper that need no simulation study: 1, 2 and Tables 1 to 4."""

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from dpcore.errata import ERRATA, Kind, numbers_of
from dpcore.exhibits.gallery.exhibit import Drawing, Finding, Shown, Stroke
from dpcore.exhibits.noise_augmentation.claims import Statement, theory_claims
from dpcore.exhibits.noise_augmentation.pictures import RealisedPicture, realised_picture
from dpcore.exhibits.noise_augmentation.settings import N_NONZERO, SETTINGS, example
from dpcore.learners.napp import Regularizer, SphericalLaplace, Weighting, augmented_rows
from dpcore.learners.napp.noise import printed_floor

_SOURCE = "li-liu-napp"
_STRENGTH, _EPSILON, _KAPPA = 2.0, 1.0, 0.1
_NEAR = 0.5  # values of |θ| up to this one count as near 0
_CROSS = 0.1  # largest relative deviation of a cross (from random rows) from the line of its expectation
_REGULARIZERS = {
    "lasso": Regularizer("lasso", _STRENGTH),
    "elastic net": Regularizer("elastic_net", _STRENGTH, _KAPPA),
    "l0.5": Regularizer("bridge", _STRENGTH, _KAPPA, 1.5),
}


@cache
def _theory() -> tuple[Statement, ...]:
    return tuple(theory_claims(_EPSILON, _STRENGTH))


def stated(statements: Iterable[Statement], where: str, *, refutes: bool = False) -> tuple[Finding, ...]:
    """The statements about one figure, table or theorem, as findings.

    With `refutes`, each of them claims to hold at any settings, so a failure refutes it.
    """
    return tuple(
        Finding(one.text, one.holds, one.evidence, refutes or one.refutes) for one in statements if where in one.where
    )


@cache
def _realised(kind: str, seed: int) -> RealisedPicture:
    return realised_picture(_REGULARIZERS[kind], printed_floor(_EPSILON, 1.0), rows=10_000, seed=seed)


def realised(kind: str, row: str, seed: int) -> Shown:
    """Figure 1: one panel of the realised regularisers ("top") or of their moduli ("bottom")."""
    found = _realised(kind, seed)
    return _regularisers(found) if row == "top" else _moduli(found, _REGULARIZERS[kind])


def _crosses_on_line(found: RealisedPicture, crosses: np.ndarray, line: np.ndarray) -> Finding:
    gap = float(np.max(np.abs(crosses / np.interp(found.crosses, found.theta, line) - 1)))
    seen = f"largest relative deviation {gap:.3g}, tolerance {_CROSS:g}"
    return Finding("The crosses of 10⁴ rows lie on their line", gap < _CROSS, seen)


def _regularisers(found: RealisedPicture) -> Shown:
    strokes = (
        Stroke("NAPP", found.theta, found.moor, "exact", role="MOOR"),
        Stroke("existing DP-ERM", found.theta, found.summed, "dash", role="sum"),
        Stroke("target", found.theta, found.target, "dot", role="target"),
        Stroke("10⁴ rows", found.crosses, found.empirical, "points", role="crosses"),
    )
    ours, theirs = (np.abs(line - found.target) for line in (found.moor, found.summed))
    near = (np.abs(found.theta) <= _NEAR) & (found.theta != 0)
    checks = (
        _crosses_on_line(found, found.empirical, found.moor),
        Finding("Both deviate from the target", bool(min(ours.max(), theirs.max()) > 1e-6),
                f"by at most {ours.max():.3g} and {theirs.max():.3g}"),
        Finding("NAPP is closer to the target than existing DP-ERM, near 0 too", bool(np.all(ours <= theirs + 1e-9)),
                f"for |θ| ≤ {_NEAR:g} it deviates by at most {ours[near].max():.3g}, existing DP-ERM by {theirs[near].max():.3g}"),
    )  # fmt: skip
    return Shown(Drawing(strokes, "coefficient θ", "regulariser R(θ)"), checks)


def _moduli(found: RealisedPicture, regularizer: Regularizer) -> Shown:
    keep = np.abs(found.theta) > 0.06
    held = Weighting(regularizer, found.floor, "sum").modulus(np.where(keep, found.theta, 1.0))
    strokes = (
        Stroke("existing, weights fixed", found.theta, np.where(keep, held, np.nan), "dash", role="sum"),
        Stroke("NAPP, weights fixed", found.theta, np.where(keep, found.modulus, np.nan), role="fixed weights"),
        Stroke("NAPP, as realised", found.theta, np.where(keep, found.curvature, np.nan), "exact", role="MOOR"),
        Stroke("10⁴ rows", found.crosses, found.empirical_modulus, "points", role="crosses"),
    )
    least = float(found.empirical_modulus.min())
    checks = (
        _crosses_on_line(found, found.empirical_modulus, found.modulus),
        Finding("In each iteration the modulus is at least 2Λ₀ (Prop. 3)", least >= 2 * found.floor * (1 - _CROSS),
                f"10⁴ rows bend by {least:.3g} at least, 2Λ₀ = {2 * found.floor:.3g}, tolerance {100 * _CROSS:g} %", refutes=True),
    )  # fmt: skip
    return Shown(Drawing(strokes, "coefficient θ", "modulus of strong convexity"), checks)


def misprints(number: str) -> tuple[Finding, ...]:
    """A finding for each erratum of the source about this figure or table, computed at its default parameters."""
    wanted = re.compile(rf"{re.escape(number)}(?!\d)")
    found = []
    for key, record in ERRATA.items():
        if record.source != _SOURCE or not wanted.search(record.place.replace("Figure", "Fig.")):
            continue
        numbers = numbers_of(key, tuple(record.defaults.items()))
        bounds = record.kind is Kind.FAILS and numbers.printed >= numbers.computed
        holds = record.agrees(numbers.printed, numbers) or bounds
        seen = f"{record.quantity}: {record.sentence(numbers)}".rstrip(".")
        found.append(Finding(f"{record.place}, as printed", holds, seen, record.kind is not Kind.MISPRINT))
    return tuple(found)


def scheme_of_rows(rows: int, seed: int) -> Shown:
    """Table 1: the first two columns of the data and of the rows that one iteration appends."""
    case, rng = example("linear", 200, seed), np.random.default_rng(seed)
    size = case.X.shape[1]
    b = SphericalLaplace(0.5 * _EPSILON / case.lipschitz).sample(size, rng)
    weighting = Weighting(_REGULARIZERS["lasso"], printed_floor(_EPSILON, case.smoothness), "moor")
    extra = augmented_rows(case.loss, weighting.first(size), b, rows, rng)
    gap = float(np.linalg.norm(extra.carried - b) / np.linalg.norm(b))
    strokes = (
        Stroke("data", case.X[:, 0], case.X[:, 1], "points", role="data"),
        Stroke("appended rows", extra.X[:, 0], extra.X[:, 1], "points", role="appended rows"),
    )
    carried = Finding("The appended rows carry the noise b", gap < 1e-8, f"relative difference {gap:.2g}")
    return Shown(Drawing(strokes, "x₁", "x₂"), (carried, *misprints("Table 1")))


def weights() -> Shown:
    """Table 2: the weight of θ² as a function of the last iterate, printed and corrected."""
    theta, floor = np.geomspace(0.05, 4.0, 41), printed_floor(_EPSILON, 1.0)
    every = {"ridge": Regularizer("ridge", _STRENGTH)} | _REGULARIZERS
    strokes = [Stroke(name, theta, Weighting(one, floor, "moor", True).after(theta)) for name, one in every.items()]
    corrected = Weighting(_REGULARIZERS["lasso"], floor, "moor").after(theta)
    strokes.append(Stroke("lasso, corrected", theta, corrected, "dash", role="MOOR"))
    drawing = Drawing(tuple(strokes), "last iterate |θ|", "weight of θ²", True, True)
    return Shown(drawing, misprints("Table 2"))


def losses(seed: int) -> Shown:
    """Table 3: the losses of the source for linear regression with one coefficient, and the minimiser of each."""
    rng, n = np.random.default_rng(seed), 200
    truth, floor = 1.0, printed_floor(_EPSILON, 0.25)
    x = rng.uniform(-0.5, 0.5, n)
    y = truth * x + 0.25 * rng.standard_normal(n)
    b = float(SphericalLaplace(0.5 * _EPSILON).sample(1, rng)[0])
    theta = np.linspace(-0.5, 2.5, 301)
    fit = 0.5 * np.square(y[:, None] - x[:, None] * theta).mean(axis=0)
    expected = 0.5 * ((theta - truth) ** 2 / 12 + 0.25**2)
    weight = Weighting(_REGULARIZERS["lasso"], floor, "sum").after(np.array([truth]))[0]
    named = {
        "private (NAPP)": fit + (b * theta + weight * theta**2) / n, "expected": expected,
        "regularised": fit + _STRENGTH * np.abs(theta) / n, "noise-augmented": fit + weight * theta**2 / n,
        "expected augmented": expected + weight * theta**2 / n,
    }  # fmt: skip
    least = {name: float(theta[values.argmin()]) for name, values in named.items()}
    strokes = [Stroke(name, theta, values) for name, values in named.items()]
    lowest = np.array([values.min() for values in named.values()])
    strokes.append(Stroke("minimisers", np.array(list(least.values())), lowest, "points", role="data"))
    return Shown(Drawing(tuple(strokes), "θ", "loss per record"), misprints("Table 3"))


def model_settings(linear: tuple[float, ...], poisson: tuple[float, ...], logistic: tuple[float, ...]) -> Shown:
    """Table 4: coefficients of the three models. Our settings are compared with the printed ones.

    Each argument is the printed (range, largest coefficient, smallest coefficient, smaller n, larger n).
    """
    place = np.arange(1.0, N_NONZERO + 1)
    strokes = [
        Stroke(setting.title, place, setting.theta[:N_NONZERO], look)
        for setting, look in zip(SETTINGS.values(), ("line", "line", "dash"), strict=True)
    ]
    for name, (_, largest, smallest, *_) in (("linear", linear), ("logistic and Poisson", logistic)):
        values = largest - (largest - smallest) * (place - 1) / 7
        strokes.append(Stroke(f"printed: {name}", place, values, "printed"))
    same = [
        Finding(
            f"The {ours.title} model is simulated as printed",
            (ours.reach, ours.largest, ours.smallest, *ours.sizes) == printed,
            f"range ±{printed[0]:g}, coefficients {printed[1]:g} to {printed[2]:g}, n = {printed[3]} and {printed[4]}",
        )
        for ours, printed in ((SETTINGS["linear"], linear), (SETTINGS["poisson"], poisson), (SETTINGS["logistic"], logistic))
    ]  # fmt: skip
    drawing = Drawing(tuple(strokes), "number of the coefficient", "θ", x_whole=True)
    return Shown(drawing, (*same, *misprints("Table 4")))


def dual_purpose() -> Shown:
    """The idea of Figure 2 in numbers: the modulus of the target alone, and the one that privacy needs."""
    theta, floor = np.linspace(0.05, 4.0, 80), printed_floor(_EPSILON, 1.0)
    alone = Weighting(_REGULARIZERS["lasso"], 0.0, "moor").modulus(theta)
    both = Weighting(_REGULARIZERS["lasso"], floor, "moor").modulus(theta)
    strokes = (
        Stroke("one term for both purposes", theta, both, "exact", role="MOOR"),
        Stroke("the target alone", theta, alone, "dash", role="target"),
        Stroke("needed for privacy, 2Λ₀", theta, np.full(theta.size, 2 * floor), "dot"),
    )  # fmt: skip
    drawing = Drawing(strokes, "coefficient |θ|", "modulus", y_log=True)
    return Shown(drawing, (*stated(_theory(), "Thm 4", refutes=True), *stated(_theory(), "Prop. 6", refutes=True)))


def look_of(name: str) -> str:
    """The look of a method's curve, here and on the page: sums are dashed, recycled budgets have dots."""
    if name == "lasso":
        return "dot"
    if name.endswith("recycled"):
        return "dashdot"
    if "sum" in name or name == "DP-ERM":
        return "dash"
    return "exact" if name in ("NAPP", "MOOR, b = 0") else "line"
