"""Objective perturbation as a step of a pipeline: two analyses of it, with the constants of a unit Lipschitz loss."""

from functools import partial

from dpcore.mechanisms.entry import entry
from dpcore.mechanisms.objective_perturbation.mechanism import ObjectivePerturbation

OBJECTIVE_STEPS = tuple(
    entry(
        key,
        f"Objective perturbation, {analysis}",
        partial(ObjectivePerturbation, lipschitz=1.0, bound=bound),
        ObjectivePerturbation.card,
        short=f"ObjPert ({analysis})",
        like="objective_perturbation",
    )
    for key, analysis, bound in (
        ("objective_tight", "tight", "tight"),
        ("objective_published", "Thm 3.1", "hockey_stick"),
    )
)
