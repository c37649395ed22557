"""Objective perturbation of a Poisson sample of the records, with the same noise or with noise scaled to the sample."""

from dpcore import validation
from dpcore.mechanisms import ObjectivePerturbation, Subsampled
from dpcore.references import formula_card

SAMPLED_CARD = formula_card(__file__, "sampled")


def of_sample(exact: ObjectivePerturbation, rate: float) -> Subsampled:
    r"""The same noise and penalty on a Poisson sample.

    .. math:: H_{e^ε}(E_S[(1−q)Q_S + qR_S] ‖ E_S Q_S) \le E_S H_{e^ε}((1−q)Q_S + qR_S ‖ Q_S)
              = q E_S H_{e^{ε'}}(R_S‖Q_S) \le q δ(ε')

    with S the sample of the other records, and Q_S and R_S the laws of θ without the record and with it: the bound of
    the mechanism holds for each S, and the divergence is jointly convex. If there is no other record, S is empty, so
    the tight profile stays tight.

    Parameters
    ----------
    exact : on all records
    rate : q in (0, 1]

    Raises
    ------
    ParameterError

    References: balle-barthe-gaboardi-2018, zhu-dong-wang-2022, redberg-koskela-wang-2023 (Appendix I.2).
    """
    return Subsampled(exact, rate)


def same_balance(exact: ObjectivePerturbation, rate: float) -> Subsampled:
    """The mechanism on a Poisson sample with qσ and qλ.

    Relative to the sample, its noise and penalty are as large as σ and λ are relative to all records.

    Parameters
    ----------
    exact : on all records
    rate : q in (0, 1]

    Raises
    ------
    ParameterError
    """
    rate = validation.probability("rate", rate, allow_zero=False)
    return Subsampled(exact.with_noise(rate).with_penalty(rate * exact.lam), rate)
