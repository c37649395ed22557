"""The same number a second way: densities integrated numerically, models refitted without the row."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from dpcore import validation
from dpcore.audit.ridge_law import RidgeLaw
from dpcore.data import Dataset
from dpcore.errors import UnsupportedError
from dpcore.extras import told
from dpcore.individual import IndividualPrivacy
from dpcore.mechanisms.pairs import Densities, Family, Pair, Score
from dpcore.numerics import NEGLIGIBLE, panel_rule
from dpcore.profiles import PrivacyProfile

if TYPE_CHECKING:
    import pandas as pd

_PANELS = 3_000  # number of panels before breaks and changes of sign split some; doubled, a check takes twice as long
_SAME = 1e-9  # difference of two precision matrices, relative to the larger entries, that counts as round-off
# Number of members of a family of pairs that are tried before the best is refined. Doubled, a check of a family takes
# twice as long.
_MEMBERS = 64
_NODES = 12  # nodes on a panel


DIGITS = 16  # decimal digits that a float holds, about


@dataclass(frozen=True)
class Check:
    """One number computed two ways; `difference` is relative to the second."""

    what: str
    first: float
    second: float
    how: str = ""

    @property
    def difference(self) -> float:
        if self.first == self.second:
            return 0.0
        return abs(self.first - self.second) / max(abs(self.second), np.finfo(float).tiny)

    @property
    def digits(self) -> float:
        """On how many decimal digits both ways agree, from 0 to `DIGITS`."""
        return float(-np.log10(np.clip(self.difference, 10.0**-DIGITS, 1.0)))


def hockey_stick(log_p: Score, log_q: Score, epsilon: float, breaks: Sequence[float]) -> float:
    """∫ [p − e^ε q]_+ by composite Gauss–Legendre, split at the given breaks and where the integrand changes sign."""

    def gap(x: np.ndarray) -> np.ndarray:
        return log_p(x) - log_q(x) - epsilon

    grid = np.union1d(np.linspace(breaks[0], breaks[-1], _PANELS + 1), breaks)
    signs = np.sign(gap(grid))
    crossings = [brentq(gap, grid[i], grid[i + 1], xtol=1e-14) for i in np.flatnonzero(signs[:-1] * signs[1:] < 0)]
    edges = np.union1d(grid, crossings)
    x, weight = panel_rule(edges, _NODES)
    integrand = np.maximum(np.exp(log_p(x)) - np.exp(epsilon + log_q(x)), 0.0)
    return float((weight * integrand).sum())


def profile_checks(mechanism: PrivacyProfile, epsilon: float) -> list[Check]:
    """δ(ε) in both directions from the profile and from the mechanism's own output law."""
    epsilon = validation.non_negative("epsilon", epsilon)
    second, how = _second_way(mechanism)
    return [
        Check(
            f"δ, record {verb}", float(mechanism.delta(epsilon, direction=direction)), second(direction, epsilon), how
        )
        for direction, verb in (("add", "added"), ("remove", "removed"))
    ]


def _second_way(mechanism: PrivacyProfile) -> tuple[Callable[[str, float], float], str]:
    """δ(ε) of one direction from output laws alone, and how it is found."""
    family = mechanism.pair_family()
    if family is not None:
        return _largest(family), f"search over {family.words}"
    laws = _densities(mechanism.pair(), type(mechanism).__name__)
    return lambda direction, epsilon: hockey_stick_of(laws, direction, epsilon), summation(laws)


def _densities(pair: Pair, name: str) -> Densities:
    if pair.densities is None:
        raise UnsupportedError(f"no output density is known for {name}: choose another mechanism")
    return pair.densities


def summation(laws: Densities) -> str:
    """How `hockey_stick_of` adds up these laws, in words."""
    return "sum over all outcomes" if laws.discrete else "quadrature of the output densities"


def hockey_stick_of(laws: Densities, direction: str, epsilon: float) -> float:
    """∫ or Σ of [p − e^ε q]_+, the record added (p without it) or removed (p with it)."""
    pair = laws.log_absent, laws.log_present
    log_p, log_q = pair if direction == "add" else pair[::-1]
    if not laws.discrete:
        return hockey_stick(log_p, log_q, epsilon, laws.breaks)
    x = np.arange(laws.breaks[0], laws.breaks[-1] + 1)
    return float(np.maximum(np.exp(log_p(x)) - np.exp(epsilon + log_q(x)), 0.0).sum())


def _largest(family: Family) -> Callable[[str, float], float]:
    """The largest hockey stick in the family: the best of a grid, refined between its neighbours."""
    grid = np.linspace(family.low, family.high, _MEMBERS + 2)

    def worst(direction: str, epsilon: float) -> float:
        def loss(at: float) -> float:
            return -hockey_stick_of(_densities(family.member(at), family.words), direction, epsilon)

        values = [loss(at) for at in grid[1:-1]]
        best = int(np.argmin(values))
        found = minimize_scalar(loss, bounds=(grid[best], grid[best + 2]), method="bounded", options={"xatol": 1e-12})
        return -min(float(found.fun), values[best])

    return worst


def table_of_checks(checks: Iterable[Check]) -> "pd.DataFrame":
    """Numbers computed in two ways, and how much these differ."""
    rows = [(check.what, check.first, check.second, check.difference, check.how) for check in checks]
    with told():
        import pandas as pd
    return pd.DataFrame(rows, columns=["what", "app", "second way", "relative difference", "how"])


def refit_checks(dataset: Dataset, result: IndividualPrivacy, rows: Sequence[int]) -> dict[int, Check]:
    """δ at the engine's ε of the given rows, by their labels, from full refits and quadrature; it must be the δ asked for."""
    return {int(dataset.row_labels[row]): _refit(dataset, result, row) for row in rows}


def _refit(dataset: Dataset, result: IndividualPrivacy, row: int) -> Check:
    """δ of a row from full refits, with both releases seen along the one direction that tells them apart."""
    keep, gram = np.arange(dataset.n_samples) != row, dataset.X.T @ dataset.X
    absent = RidgeLaw.of(result.mechanism, dataset.X[keep], dataset.y[keep], gram)
    present = RidgeLaw.of(result.mechanism, dataset.X, dataset.y, gram)
    along = _telling_direction(absent, present, dataset.X[row])
    laws = [(float(along @ law.theta), float(np.linalg.norm(law.root.T @ along))) for law in (absent, present)]
    epsilon, second = float(result.epsilon[row]), 0.0
    if laws[0] != laws[1]:
        p, q = (lambda s, c=c, w=w: stats.norm.logpdf(s, c, w) for c, w in laws)
        ends = [c + side * NEGLIGIBLE * w for c, w in laws for side in (-1, 1)]
        second = max(hockey_stick(*pair, epsilon, (min(ends), max(ends))) for pair in ((p, q), (q, p)))
    if epsilon == 0 and second <= result.delta:
        return Check("ε", 0.0, 0.0, "refit and quadrature")
    return Check("δ at the row's ε", float(result.delta), second, "refit and quadrature")


def _telling_direction(absent: RidgeLaw, present: RidgeLaw, x: np.ndarray) -> np.ndarray:
    """The log ratio depends on the release through this combination of its coefficients alone.

    Raises
    ------
    UnsupportedError
        If no single direction does, because the row changes the noise in other directions than its own.
    """
    before, after = absent.precision, present.precision
    change, size = after - before, np.abs(before).max()
    if np.abs(change).max() <= _SAME * size:
        return after @ (present.theta - absent.theta)
    along_x = np.outer(x, x) * (x @ change @ x) / (x @ x) ** 2
    if np.abs(change - along_x).max() > _SAME * size:
        raise UnsupportedError("no second way is known where one row turns the noise: choose another mechanism")
    return x
