"""Each private learner with all of its choices made from public facts, and the lines of code that make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from dpcore.data import Domain
from dpcore.errors import UnsupportedError
from dpcore.glm.losses import LOSSES, Loss
from dpcore.learners import DPSGD, LEARNERS, Learner, NoiseAugmentedLearner, PublicFacts, rules
from dpcore.learners.napp import Regularizer

# Steps of descent on all records, and their length altogether in units of one over the curvature of the mean loss at
# θ = 0. With twice as many steps nothing changes but the time; twice as far, less is lost to stopping and more noise is
# drawn.
_STEPS, _FAR = 50, 3.0


def makers(loss: Loss, facts: PublicFacts, epsilon: float, delta: float) -> dict[str, Callable[[], Learner]]:
    """What makes each learner of `LEARNERS` that has a budget; it may refuse, with the reason.

    Parameters
    ----------
    loss, facts : the question
    epsilon, delta : budget
    """
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": delta}

    def descent() -> Learner:
        clip = rules.public_clip(loss, facts.domain, None, "best")
        rate = _FAR * facts.n_features / (_STEPS * curvature_at_zero(loss, facts.domain))
        return DPSGD(
            loss, **budget, clip=clip, epochs=_STEPS, batch=facts.n_samples, optimizer="sgd", learning_rate=rate
        )

    def usual(kind: type[Learner]) -> Learner:
        if "loss" in choices_of(kind):
            return kind(loss=loss, **budget)
        made = kind(**budget)
        if made.loss != loss:
            raise UnsupportedError(f"it is for the {made.loss.title.lower()} loss only")
        return made

    own: dict[Any, Callable[[], Learner]] = {
        DPSGD: descent,
        NoiseAugmentedLearner: lambda: NoiseAugmentedLearner(loss, **budget, regularizer=Regularizer("ridge", 0.0)),
    }
    private = {key: kind for key, kind in LEARNERS.items() if "epsilon" in choices_of(kind)}
    return {key: own.get(kind, partial(usual, kind)) for key, kind in private.items()}


def curvature_at_zero(loss: Loss, domain: Domain) -> float:
    """R² max_y f''(0; y) over the extreme targets, or the bound on it where that is 0."""
    ends = np.array(loss.target.extremes(domain.target_bound))
    most = float(np.max(loss.second_derivative(np.zeros_like(ends), ends), initial=0.0))
    return domain.row_norm**2 * (most or float(loss.curvature_bound(domain.target_bound)))


def choices_of(kind: Any) -> set[str]:
    """Names of the choices that a learner has."""
    return {one.name for one in fields(kind)}


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
