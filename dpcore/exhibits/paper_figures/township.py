"""The township of the per-instance paper: an average income with Laplace noise, residents, and the richest person."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.references import formula_card

MEDIAN_INCOME = 60_000.0
_POINTS = 80

TOWNSHIP_CARD = formula_card(__file__, "township")


def income_epsilon(income: Any, others: Any, scale: float) -> np.ndarray:
    r"""ε of households under the average income with Laplace noise, nats.

    .. math:: ε(Z, z) = |z − \bar x|/((n+1) b)

    Parameters
    ----------
    income : z ≥ 0, any shape; others : (n,), the other households; scale : b > 0

    Raises
    ------
    ParameterError

    References: wang-2019 (Section 2.2).
    """
    z, others = validation.real_array("income", income, low=0.0), validation.real_array("others", others, low=0.0)
    return np.asarray(np.abs(z - others.mean()) / ((others.size + 1) * validation.positive("scale", scale)))


@dataclass(frozen=True, eq=False)
class Township:
    """ε of the residents (sorted by income), and of anyone by income.

    incomes, residents : (n_households,); curve : ε against income.
    """

    incomes: np.ndarray
    residents: np.ndarray
    curve: Curve


def township(households: int, noise: float, richest: float) -> Township:
    """Lognormal incomes of a township, and the exposure of its households and of anyone else.

    Parameters
    ----------
    households : n ≥ 2; noise : scale of the Laplace noise as a share of the median income, > 0
    richest : largest income of the curve, above the median

    Raises
    ------
    ParameterError

    References: wang-2019 (Section 2.2).
    """
    households = validation.integer("households", households, minimum=2)
    rng = np.random.default_rng(0)
    scale = validation.positive("noise", noise) * MEDIAN_INCOME
    incomes = np.sort(MEDIAN_INCOME * np.exp(0.6 * rng.standard_normal(households)))
    residents = np.array([float(income_epsilon(z, np.delete(incomes, i), scale)) for i, z in enumerate(incomes)])
    x = np.geomspace(2 * incomes.mean(), validation.positive("richest", richest), _POINTS)
    return Township(incomes, residents, Curve("Anybody by income", x, income_epsilon(x, incomes, scale), Bound.EXACT))
