"""Table 1 of the source as numbers: which supremum, quantile or mean each variant of DP takes, and what it gives here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore import validation
from dpcore.errors import DPError
from dpcore.individual.all_rows.assumptions import assumptions_of
from dpcore.individual.exposure import ALPHAS
from dpcore.individual.result import IndividualPrivacy
from dpcore.individual.rows.reasons import position
from dpcore.studies.per_instance.for_one import pdp_for_one

METRICS = {
    "epsilon": "ε at δ, nats",
    "pure": "ε at δ = 0, nats",
    "renyi": "Rényi divergence, nats",
    "zcdp": "ρ: the largest Rényi divergence over its order",
    "tv": "total variation, from 0 to 1",
    "kl": "Kullback–Leibler divergence, nats",
}


@dataclass(frozen=True)
class Variant:
    """One row of the table: what is taken over data sets and over records, the metric, and the value here.

    data_set, target : "sup", "mean", "quantile" or "fixed"; value : None where it has no answer, with the reason in
    `note`; plug_in : the rows of this data set stand for the population.
    """

    name: str
    data_set: str
    target: str
    metric: str
    value: float | None
    note: str
    plug_in: bool = False


def variants(
    result: IndividualPrivacy, index: int, *, order: float = 2.0, share: float = 0.05, repeats: int = 50
) -> tuple[Variant, ...]:
    """Every variant of Table 1 on the current data and mechanism.

    Parameters
    ----------
    index : position of the row taken as the fixed target
    order : Rényi order > 1
    share : share of records left out by random DP
    repeats : data sets drawn for the variants in which it varies

    Raises
    ------
    ParameterError

    References: wang-2019 (Table 1).
    """
    index = position(index, result.epsilon.size)
    order = validation.real("order", order)
    share = validation.probability("share", share)
    rows, where = result.exposures, result.dataset.row_name(index)
    no_guarantee = assumptions_of(result.dataset).no_guarantee

    def divergence(alpha: float) -> np.ndarray:
        return np.maximum(rows.renyi(alpha, "add"), rows.renyi(alpha, "remove"))[:, 0]

    def one() -> float:
        found = pdp_for_one(result, index, repeats=repeats)
        return float(np.quantile(found, 1 - share, method="higher"))

    kl, renyi = divergence(1.0), divergence(order)
    zcdp = np.max(np.maximum(row_renyi_of(result, index, "add"), row_renyi_of(result, index, "remove")) / ALPHAS)
    drawn = f"{where}; level {1 - share:g} over {repeats} data sets drawn anew"
    left_out = f"all but {share:.0%} of the records"

    def worst_ratio() -> float:
        return max(worst_divergence(result, float(alpha)) / float(alpha) for alpha in ALPHAS[::8])

    table: list[tuple[str, str, str, str, Callable[[], float], str, bool]] = [
        ("Pure DP", "sup", "sup", "pure", lambda: float(result.worst_case.epsilon(0.0)), "", False),
        ("Approximate DP", "sup", "sup", "epsilon", lambda: result.worst_case_epsilon, "", False),
        ("Rényi DP", "sup", "sup", "renyi", lambda: worst_divergence(result, order), f"order {order:g}", False),
        ("zCDP", "sup", "sup", "zcdp", worst_ratio, "", False),
        ("TV privacy", "sup", "sup", "tv", lambda: float(result.worst_case.delta(0.0)), "", False),
        ("KL privacy", "sup", "sup", "kl", lambda: worst_divergence(result, 1.0), "", False),
        ("Personal DP", "sup", "fixed", "epsilon", lambda: personal_epsilon(result, index), f"{where}, any data set of this size", False),
        ("pDP for all", "fixed", "sup", "epsilon", lambda: result.for_all.epsilon, "any record of the public domain", False),
        ("pDP for one", "quantile", "fixed", "epsilon", one, drawn, True),
        ("pDP of the data set", "fixed", "mean", "epsilon", lambda: result.moments(1), "mean over the rows", False),
        ("Random DP", "quantile", "quantile", "epsilon", lambda: float(result.quantiles(1 - share)), left_out, True),
        ("On-average KL privacy", "mean", "mean", "kl", lambda: float(kl.mean()), "mean over the rows", True),
        ("Per-instance DP", "fixed", "fixed", "epsilon", lambda: float(result.epsilon[index]), where, False),
        ("Per-instance Rényi DP", "fixed", "fixed", "renyi", lambda: float(renyi[index]), f"{where}, order {order:g}", False),
        ("Per-instance zCDP", "fixed", "fixed", "zcdp", lambda: float(zcdp), where, False),
        ("Per-instance TV", "fixed", "fixed", "tv", lambda: float(result.profile(index).delta(0.0)), where, False),
    ]  # fmt: skip
    found = []
    for name, data_set, target, metric, compute, note, plug_in in table:
        if no_guarantee and "sup" in (data_set, target):
            value, reason = None, f"no guarantee: {no_guarantee}"
        else:
            value, reason = _or_reason(compute)
        found.append(Variant(name, data_set, target, metric, value, reason or note, plug_in))
    return tuple(found)


def worst_divergence(result: IndividualPrivacy, alpha: float) -> float:
    """Largest Rényi divergence of order α over every data set and record of the public domain, nats.

    Raises
    ------
    ParameterError, UnsupportedError
    """
    return result.mechanism.worst_renyi(alpha, result.public_domain, result.dataset.n_samples)


def row_renyi_of(result: IndividualPrivacy, index: int, direction: str) -> np.ndarray:
    """Rényi divergences of one row at `ALPHAS`, nats."""
    return result.exposures.take([index]).renyi(ALPHAS, direction)[0]


def personal_epsilon(result: IndividualPrivacy, index: int) -> float:
    r"""ε of one record in the worst data set of n − 1 rows of the public domain, nats.

    Along x the others have H = h and the fit is at most B\|x\|\sqrt{n(h−λ)}/h away from 0; n equal rows attain it. The
    largest ε over λ ≤ h ≤ λ + nR² is taken on a grid of 400 values and refined.

    Raises
    ------
    ParameterError, UnsupportedError
    """
    result.worst_case  # noqa: B018
    kind, log_delta = type(result.exposures), float(np.log(result.delta))
    domain, n, lam = result.public_domain, result.dataset.n_samples - 1, result.mechanism.lam
    x, y = result.dataset.X[index], abs(float(result.dataset.y[index]))
    length = float(np.linalg.norm(x))
    reach = domain.row_norm * np.sqrt(n)
    low, high, best = 0.0, float(np.arcsinh(reach / np.sqrt(lam))), 0.0
    for _ in range(3):
        position_ = np.linspace(low, high, 400)
        h = lam * np.cosh(position_) ** 2
        residual = y + domain.target_bound * length * np.sqrt(n * (h - lam)) / h
        epsilon = kind.along(result.mechanism, h, length, residual).epsilon(log_delta)
        at = int(epsilon.argmax())
        best = max(best, float(epsilon[at]))
        low, high = position_[max(at - 1, 0)], position_[min(at + 1, 399)]
    return best


def _or_reason(compute: Callable[[], float]) -> tuple[float | None, str]:
    try:
        return float(compute()), ""
    except DPError as error:
        return None, str(error)
