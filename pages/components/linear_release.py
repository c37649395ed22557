"""The sidebar controls of a released linear regression: which mechanism, its penalty, its noise, δ."""

from typing import Any

from dpcore.individual import ANALYSES
from dpcore.individual.analyses.objective_perturbation import linear_objective
from dpcore.mechanisms import ObjectivePerturbation, OutputPerturbation, PosteriorSampling
from dpcore.references import FormulaCard
from pages.components import controls, say
from pages.components.say import md

MECHANISMS = {
    "posterior": "Posterior sample",
    "output": "Output perturbation",
    "objective": "Objective perturbation",
}
SHAPES = {"identity": "identity", "gram": "XᵀX (frozen)", "gram_squared": "(XᵀX)² (frozen)"}


def choose(prefix: str) -> tuple[Any, float]:
    """The mechanism described by the controls, and δ."""
    kind = say.segmented_control(
        "Mechanism", list(MECHANISMS), format_func=MECHANISMS.get, default="posterior", required=True,
        key=f"{prefix}_kind", bind="query-params", persist_state="session",
        help=md("Posterior sample: one draw from N(θ̂, H⁻¹/γ). Output perturbation: θ̂ + N(0, σ²A⁻¹). Objective perturbation: "
        "the minimiser of the squared loss with a random linear term, N(θ̂, σ²H⁻²)."),
    )  # fmt: skip
    lam = controls.log_slider("Regularisation λ", 0.01, 1000.0, 1.0, key=f"{prefix}_lambda")
    if kind == "posterior":
        gamma = controls.log_slider("Inverse temperature γ", 1e-4, 1e4, 1.0, key=f"{prefix}_gamma")
        mechanism: Any = PosteriorSampling(gamma=gamma, lam=lam)
    else:
        sigma = controls.log_slider("Noise σ", 1e-3, 100.0, 1.0, key=f"{prefix}_sigma")
        if kind == "output":
            shape = say.selectbox(
                "Noise shape A", list(SHAPES), format_func=SHAPES.get, key=f"{prefix}_shape", bind="query-params",
                persist_state="session",
                help="The noise covariance is σ²A⁻¹. The Gram shapes are computed from the data and treated as public: "
                "an exploration, not a guarantee.",
            )  # fmt: skip
            mechanism = OutputPerturbation(sigma=sigma, lam=lam, shape=shape)
        else:
            mechanism = linear_objective(sigma, lam)
    return mechanism, controls.delta_slider("Failure probability δ", key=f"{prefix}_delta", default=-6)


def card(mechanism: Any) -> FormulaCard:
    """The formula card of the per-instance analysis of a mechanism."""
    return ANALYSES.find(mechanism).card(mechanism)


def name(mechanism: Any) -> str:
    """What a mechanism is called on these pages."""
    kinds = {PosteriorSampling: "posterior", OutputPerturbation: "output", ObjectivePerturbation: "objective"}
    return MECHANISMS[kinds[type(mechanism)]]
