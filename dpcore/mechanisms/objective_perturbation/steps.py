"""Objective perturbation as a step of a pipeline: two analyses of it, with the constants of a unit Lipschitz loss."""

from functools import partial

from dpcore.mechanisms.entry import MechanismEntry, Parameter
from dpcore.mechanisms.objective_perturbation.mechanism import ObjectivePerturbation

_PARAMETERS = (
    Parameter("sigma", "σ", "Noise σ", 10.0, 1.0, 1000.0, noise=1),
    Parameter("lam", "λ", "Regularisation λ", 5.0, 0.1, 1e5),
    Parameter("smoothness", "β", "Smoothness β", 1.0, 0.01, 10.0),
)
OBJECTIVE_STEPS = tuple(
    MechanismEntry(
        key,
        f"Objective perturbation, {analysis}",
        partial(ObjectivePerturbation, lipschitz=1.0, bound=bound),
        _PARAMETERS,
        ObjectivePerturbation.card,
        f"ObjPert ({analysis})",
    )
    for key, analysis, bound in (
        ("objective_tight", "tight", "tight"),
        ("objective_published", "Thm 3.1", "hockey_stick"),
    )
)
