"""The view of a loss that is no generalised linear model: where the step of the proof fails, with numbers."""

import math
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation.beyond_glm import RoundLoss
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.profiles import Bound, curves
from pages.components import cache, cards, export
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import number, probability_from_log, times_from_log
from pages.understand.objective_perturbation import views


def round_loss(state: views.ObjectiveView) -> RoundLoss:
    """The loss with the L and β of the sidebar, in its d."""
    return RoundLoss(state.sigma, state.lam, state.lipschitz, state.beta, state.dimension)


def for_models(state: views.ObjectiveView) -> ObjectivePerturbation:
    """The tight profile of generalised linear models with the same L and β."""
    return replace(state, monotone=False).mechanism("tight")


def draw(state: views.ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """δ(ε) of the loss, of every generalised linear model with its constants, and by Theorem E.1."""
    claimed = cache.shared(curves.guarantee_curve, "Tight", for_models(state), state.epsilon_max, points=61)
    sampled = [
        cache.shared(curves.delta_curve, "Round loss", round_loss(state), state.epsilon_max, points=61),
        curves.Curve(claimed.name, claimed.x, claimed.y, Bound.CLAIMED, "holds for GLMs only"),
        views.profile_curve(state, "non_glm", cache.shared),
    ]
    drawn = {"Beyond GLMs": figures.bounds_figure(sampled, cards.theme_mode(), floor=state.floor)}
    export.chart(drawn["Beyond GLMs"], key="op_beyond", alt="Delta against epsilon of a loss that is no GLM")
    return drawn, curves.table(sampled, "epsilon", "delta")


def answers(state: views.ObjectiveView) -> list[Metric]:
    """δ of the loss, δ that the analysis of GLMs allows, Theorem E.1, and the size of the term that differs."""
    loss = round_loss(state)
    exact, allowed = (float(one.log_delta(state.epsilon)) for one in (loss, for_models(state)))
    general = state.mechanism("non_glm")
    beyond = exact > allowed
    return [
        Metric(
            f"δ at ε = {number(state.epsilon)}, round loss", probability_from_log(exact),
            f"{times_from_log(exact - allowed)} the GLM curve", worse=beyond or None,
        ),
        Metric(
            "Tight, if it were a GLM", probability_from_log(allowed), "exceeded" if beyond else "not exceeded here",
            help="GLM: generalised linear model, whose losses have the form f(xᵀθ).",
        ),
        Metric(
            md("Thm E.1, any convex loss"),
            probability_from_log(float(general.log_delta(state.epsilon))) if general.says_something(state.epsilon) else "no guarantee",
        ),
        Metric(
            "E|bᵀ∇ℓ| ÷ Lσ, at most", number(loss.pull), f"{number(math.sqrt(2 / math.pi))} for a GLM",
            help="How far the record's gradient can point against the noise b, on average.",
        ),
    ]  # fmt: skip


def observations(state: views.ObjectiveView) -> list[str]:
    """Where the proof's step fails."""
    loss = round_loss(state)
    return [
        md(
            "**The step.** For f(xᵀθ) the gradient of a record points along x whatever the noise is, so bᵀ∇ℓ is at most L|N(0, σ²)|. The "
            "round loss L√(‖θ‖² + s²), s = L/β, has a gradient that points against b: |bᵀ∇ℓ| comes up to L‖b‖, which is {} σL on "
            "average in d = {} parameters.",
            number(loss.pull),
            loss.dimension,
        ),
        md(
            "**What follows.** The analysis of generalised linear models does not cover this loss, and in many parameters its curve is "
            "exceeded; Theorem E.1 pays d times the log term, and the length of d standard normals in "
            "place of |N(0, 1)|. In one parameter every loss is a "
            "generalised linear model, and the curve holds."
        ),
    ]


def program(state: views.ObjectiveView) -> str:
    """The lines of dpcore that make these numbers."""
    return "\n".join(
        [
            "import dpcore as dp",
            f"loss = dp.exhibits.objective_perturbation.beyond_glm.{round_loss(state)!r}",
            f"tight = dp.{for_models(state)!r}",
            f"loss.delta({state.epsilon!r}), tight.delta({state.epsilon!r}), loss.pull",
        ]
    )
