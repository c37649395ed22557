"""Each private learner with all of its choices made from public facts, and the lines of code that make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial

from dpcore.glm.losses import LOSSES, Loss
from dpcore.learners import LEARNERS, Learner, PublicFacts
from dpcore.learners.napp import Regularizer


def makers(loss: Loss, facts: PublicFacts, epsilon: float, delta: float) -> dict[str, Callable[[], Learner]]:
    """What makes each learner of `LEARNERS` that has a budget; it may refuse, with the reason.

    Parameters
    ----------
    loss, facts : the question
    epsilon, delta : budget
    """
    private = {key: kind for key, kind in LEARNERS.items() if "epsilon" in {one.name for one in fields(kind)}}
    return {key: partial(kind.suggested, loss, facts, epsilon, delta) for key, kind in private.items()}


def code_of(learner: Learner, facts: PublicFacts) -> str:
    """The lines that train with a learner; of its choices those are said that differ from the defaults."""
    said = []
    for one in fields(learner):
        value = getattr(learner, one.name)
        if one.name == "loss":
            said.append(repr(next((key for key, known in LOSSES.items() if known == value), value)))
        elif isinstance(value, Regularizer):
            said.append(f'regularizer=dp.learners.napp.Regularizer("{value.kind}", {value.strength:g})')
        elif value != one.default:
            said.append(f"{one.name}={float(f'{value:.6g}') if isinstance(value, float) else value!r}")
    bounds = (
        f"row_norm={facts.domain.row_norm:g}, target_bound={facts.domain.target_bound:g}, rows={facts.domain.rows!r}"
    )
    return (
        "import numpy as np\n\nimport dpcore as dp\n\n"
        f'data = dp.load_csv("yours.csv", target="y", domain=dp.Domain({bounds}))\n'
        f"learner = dp.learners.{type(learner).__name__}({', '.join(said)})\n"
        "release = learner.fit(data, np.random.default_rng())"
    )
