"""Table 1 of the source as numbers: the supremum, quantile or mean that each variant of DP takes, and its value."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore.errors import or_reason
from dpcore.exhibits.privacy_map.for_one import pdp_for_one
from dpcore.individual.all_rows.assumptions import assumptions_of
from dpcore.individual.exposure import ALPHAS, Exposures
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.reasons import position
from dpcore.individual.result import IndividualPrivacy

METRICS = {
    "epsilon": "ε at δ, nats",
    "pure": "ε at δ = 0, nats",
    "renyi": "Rényi divergence, nats",
    "zcdp": "ρ: the largest Rényi divergence over its order",
    "tv": "total variation, from 0 to 1",
    "kl": "Kullback–Leibler divergence, nats",
}
_ORDER, _SHARE = 2.0, 0.05  # Rényi order, and the share of records that random DP leaves out
UNITS = {"tv": "(probability)"}  # units of the metrics; those that are not listed are in nats


@dataclass(frozen=True)
class Variant:
    """One row of the table: what is taken over data sets and over records, the metric, and the value here.

    data_set, target : "sup", "mean", "quantile" or "fixed"; value : None if there is no value, with the reason in
    `note`; method : how `value` is computed.
    """

    name: str
    data_set: str
    target: str
    metric: str
    value: float | None = None
    note: str = ""
    method: EpsilonMethod = EpsilonMethod.EXACT

    @property
    def plug_in(self) -> bool:
        """Whether the rows of this data set represent the population."""
        return self.data_set in ("mean", "quantile")

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return UNITS.get(self.metric, "nats")


def variants(result: IndividualPrivacy, index: int, *, repeats: int = 50) -> tuple[Variant, ...]:
    r"""Every variant of Table 1 on the current data and mechanism.

    All of them use one number, a distance between the laws of the release from a data set Z without and with a record
    z. They differ in what they take over Z and over z; the fixed data set and row are those of `result`:

    .. math:: \underset{Z}{\mathrm{Op}}\; \underset{z}{\mathrm{Op}}\;
              \max\left(D(M(Z)‖M(Z∪z)),\; D(M(Z∪z)‖M(Z))\right),
              \qquad \mathrm{Op} ∈ \{\sup, \text{mean}, \text{quantile}, \text{fixed}\}

    with D one of `METRICS`. A supremum over Z and z is the worst case of the mechanism, one over z alone is `for_all`.

    Parameters
    ----------
    result : the analysis of the data as they are
    index : position of the row taken as the fixed target
    repeats : data sets drawn for variants in which the data set varies

    Raises
    ------
    ParameterError

    References: wang-2019 (Table 1).
    """
    index = position(index, result.epsilon.size)
    no_guarantee = assumptions_of(result.dataset).no_guarantee
    found = []
    for asked, compute in _questions(result, index, repeats):
        if no_guarantee and "sup" in (asked.data_set, asked.target):
            found.append(replace(asked, note=f"no guarantee: {no_guarantee}"))
        else:
            value, reason = or_reason(compute)
            found.append(replace(asked, value=None if value is None else float(value), note=reason or asked.note))
    return tuple(found)


def _questions(result: IndividualPrivacy, index: int, repeats: int) -> list[tuple[Variant, Callable[[], Any]]]:
    """The rows of the table without their values, each with a function that computes it."""
    where, row = result.dataset.row_name(index), result.exposures.take([index])
    any_size, anyone = f"{where}, any data set of this size", "any record of the public domain"
    drawn = f"{where}; level {1 - _SHARE:g} over {repeats} data sets drawn anew"
    mean, left_out = "mean over the rows", f"all but {_SHARE:.0%} of the records"
    order, at_order = f"order {_ORDER:g}", f"{where}, order {_ORDER:g}"
    counted, by, of_row = result.method, result.exposures.method, row.method
    worst = or_reason(lambda: result.worst_case_method)[0] or EpsilonMethod.EXACT

    def worst_ratio() -> float:
        return max(worst_divergence(result, float(alpha)) / float(alpha) for alpha in ALPHAS[::8])

    def one() -> float:
        return float(np.quantile(pdp_for_one(result, index, repeats=repeats), 1 - _SHARE, method="higher"))

    rows = (
        ("Pure DP", "sup", "sup", "pure", "", worst, lambda: result.worst_case.epsilon(0.0)),
        ("Approximate DP", "sup", "sup", "epsilon", "", worst, lambda: result.worst_case_epsilon),
        ("Rényi DP", "sup", "sup", "renyi", order, worst, lambda: worst_divergence(result, _ORDER)),
        ("zCDP", "sup", "sup", "zcdp", "", worst, worst_ratio),
        ("TV privacy", "sup", "sup", "tv", "", worst, lambda: result.worst_case.delta(0.0)),
        ("KL privacy", "sup", "sup", "kl", "", worst, lambda: worst_divergence(result, 1.0)),
        ("Personal DP", "sup", "fixed", "epsilon", any_size, by, lambda: personal_epsilon(result, index)),
        ("pDP for all", "fixed", "sup", "epsilon", anyone, by, lambda: result.for_all.epsilon),
        ("pDP for one", "quantile", "fixed", "epsilon", drawn, by, one),
        ("pDP of the data set", "fixed", "mean", "epsilon", mean, counted, lambda: result.moments(1)),
        ("Random DP", "quantile", "quantile", "epsilon", left_out, counted, lambda: result.quantiles(1 - _SHARE)),
        ("On-average KL privacy", "mean", "mean", "kl", mean, by, lambda: _divergences(result.exposures, 1.0).mean()),
        ("Per-instance DP", "fixed", "fixed", "epsilon", where, result.method_of(index), lambda: result.epsilon[index]),
        ("Per-instance Rényi DP", "fixed", "fixed", "renyi", at_order, of_row, lambda: _divergences(row, _ORDER)[0, 0]),
        ("Per-instance zCDP", "fixed", "fixed", "zcdp", where, of_row, lambda: (_divergences(row, ALPHAS) / ALPHAS).max()),
        ("Per-instance TV", "fixed", "fixed", "tv", where, of_row, lambda: result.profile(index).delta(0.0)),
    )  # fmt: skip
    return [
        (Variant(name, data_set, target, metric, note=note, method=method), compute)
        for name, data_set, target, metric, note, method, compute in rows
    ]


def _divergences(rows: Exposures, alpha: Any) -> np.ndarray:
    """Rényi divergences of some rows, the larger of the two directions, shape (n_rows, n_orders)."""
    return np.maximum(rows.renyi(alpha, "add"), rows.renyi(alpha, "remove"))


def worst_divergence(result: IndividualPrivacy, alpha: float) -> float:
    """Largest Rényi divergence of order α over every data set and record of the public domain, nats.

    Raises
    ------
    ParameterError, UnsupportedError
    """
    return result.mechanism.worst_renyi(alpha, result.public_domain, result.dataset.n_samples)


def personal_epsilon(result: IndividualPrivacy, index: int) -> float:
    r"""ε of one record beside the worst n rows of the public domain, nats; n is the number of other rows in `result`.

    Along x the other rows have H = h, and the predicted value is at most B\|x\|\sqrt{n(h−λ)}/h away from 0; n equal
    rows attain this. The largest ε over λ ≤ h ≤ λ + nR² is found on a grid of 400 values, which is refined twice.

    Raises
    ------
    ParameterError, UnsupportedError
    """
    result.worst_case  # noqa: B018
    log_delta = float(np.log(result.delta))
    domain, n, lam = result.public_domain, result.dataset.n_samples - 1, result.mechanism.lam
    x, y = result.dataset.X[index], abs(float(result.dataset.y[index]))
    length = float(np.linalg.norm(x))
    reach = domain.row_norm * np.sqrt(n)
    low, high, best = 0.0, float(np.arcsinh(reach / np.sqrt(lam))), 0.0
    for _ in range(3):
        position_ = np.linspace(low, high, 400)
        h = lam * np.cosh(position_) ** 2
        residual = y + domain.target_bound * length * np.sqrt(n * (h - lam)) / h
        epsilon = result.exposures.along(result.mechanism, h, length, residual).epsilon(log_delta)
        at = int(epsilon.argmax())
        best = max(best, float(epsilon[at]))
        low, high = position_[max(at - 1, 0)], position_[min(at + 1, 399)]
    return best
