"""Objective perturbation of a Poisson sample of the records: what sampling saves, and what it costs at the same balance."""

from dpcore import validation
from dpcore.mechanisms import ObjectivePerturbation, Subsampled
from dpcore.references import FormulaCard

SAMPLED_CARD = FormulaCard(
    title="Objective perturbation of a Poisson sample",
    latex=(
        r"\hat\theta=\arg\min_\theta\sum_{i\in S}\ell_i(\theta)+\tfrac\lambda2\|\theta\|^2+b^\top\theta,\qquad "
        r"\Pr(i\in S)=q\text{ independently}",
        r"\delta_{\mathrm{remove}}(\varepsilon)\le q\,\delta^{\mathrm{tight}}_{\mathrm{remove}}(\varepsilon'),\quad "
        r"e^{\varepsilon'}=1+\tfrac{e^\varepsilon-1}q",
        r"\delta_{\mathrm{add}}(\varepsilon)\le[1-e^\varepsilon(1-q)]_+\,\delta^{\mathrm{tight}}_{\mathrm{add}}(\varepsilon''),\quad "
        r"e^{\varepsilon''}=\tfrac{qe^\varepsilon}{1-e^\varepsilon(1-q)}",
    ),
    symbols={"S": "the sample, which is not released", "q": "sampling rate", r"\delta^{\mathrm{tight}}": "profile on all records"},
    assumptions=(
        "each record is sampled independently of the others",
        "neither the sample nor its size is released",
        "σ and λ do not depend on the sample",
        "the loss is that of a generalised linear model",
    ),
    references=("balle-barthe-gaboardi-2018", "zhu-dong-wang-2022", "redberg-koskela-wang-2023"),
    code="dpcore.exhibits.objective_perturbation.sampled_records.of_sample",
)  # fmt: skip


def of_sample(exact: ObjectivePerturbation, rate: float) -> Subsampled:
    r"""The same noise and penalty on a Poisson sample.

    .. math:: H_{e^ε}(E_S[(1−q)Q_S + qR_S] ‖ E_S Q_S) \le E_S H_{e^ε}((1−q)Q_S + qR_S ‖ Q_S)
              = q E_S H_{e^{ε'}}(R_S‖Q_S) \le q δ(ε')

    with S the sample of the other records, Q_S and R_S the laws of θ without the record and with it: the bound of the mechanism
    holds for each S, and the divergence is jointly convex. With no other record S is empty, so the tight profile stays tight.

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
    """On a Poisson sample with qσ and qλ: noise and penalty weigh as much against the sample as σ and λ against all records.

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
