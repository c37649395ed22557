"""The view of the change of variables: from one θ to the noise, the determinants, the densities and their ratio."""

import math
from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go

from dpcore.exhibits.objective_perturbation.change_of_variables import Change, SmallModel
from dpcore.exhibits.objective_perturbation.variables_figure import lattice_figure
from pages.components import cache, cards, controls, export, say
from pages.components.cards import Metric
from pages.components.say import md
from pages.components.words import number
from pages.understand.objective_perturbation import views

STEPS = ("1 · Noise", "2 · Determinants", "3 · Densities", "4 · Ratio", "5 · Check")
EDGE = 2.0  # of θ, in σ/λ


def choose() -> tuple[float, float]:
    """Sliders for θ, in the size that the noise gives it."""
    first, second = (
        controls.linear_slider(f"θ{sign} in σ/λ", -EDGE, EDGE, 0.5, step=0.1, key=f"op_place{place}")
        for place, sign in enumerate("₁₂", 1)
    )
    return first, second


def small_model(state: views.ObjectiveView) -> SmallModel:
    """Six records with the loss of the sidebar's constants."""
    return SmallModel(state.sigma, state.lam, state.lipschitz, state.beta)


def change(state: views.ObjectiveView) -> Change:
    """All steps at the θ of the sidebar."""
    return cache.shared(SmallModel.at, small_model(state), theta(state))


def theta(state: views.ObjectiveView) -> tuple[float, float]:
    """θ in its own unit."""
    unit = state.sigma / state.lam
    return state.place[0] * unit, state.place[1] * unit


def draw(state: views.ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """One step in words and numbers, and the lattice of noises with what becomes of it."""
    step = say.segmented_control(
        "Step",
        list(STEPS),
        default=STEPS[0],
        required=True,
        key="op_step",
    )
    found = change(state)
    say.markdown(explained(state, found)[STEPS.index(step)])
    drawn = {
        "Change of variables": lattice_figure(
            cache.shared(SmallModel.lattice, small_model(state)), found, cards.theme_mode()
        )
    }
    export.chart(
        drawn["Change of variables"], key="op_variables", alt="A lattice of noises and the minimisers it leads to"
    )
    sides = (("with z", found.whole), ("without z", found.rest))
    frame = pd.DataFrame(
        {
            "data": [name for name, _ in sides],
            "b1": [float(side.noise[0]) for _, side in sides],
            "b2": [float(side.noise[1]) for _, side in sides],
            "log |det|": [side.log_volume for _, side in sides],
            "log density": [side.log_density for _, side in sides],
        }
    )
    return drawn, frame


def explained(state: views.ObjectiveView, found: Change) -> list[str]:
    """Each step at this θ."""
    whole, rest = found.whole, found.rest
    return [
        md(
            "**θ = {} is the minimiser for one noise only**: b(θ; D) = −(∇𝓛(θ; D) + λθ) = {}. Without the record z it is {}: z moves the "
            "noise by −∇ℓ(θ; z), of length {}, at most L = {}.",
            _vector(found.theta), _vector(whole.noise), _vector(rest.noise),
            number(math.hypot(*found.gradient)), number(state.lipschitz),
        ),
        md(
            "**∂b/∂θ = −(∇²𝓛 + λI)**, two by two: |det| = {} with z and {} without, a ratio of {}. z bends along one direction only, so "
            "the ratio is one factor, 1/(1 − f″xᵀH⁻¹x) = {}.",
            number(math.exp(whole.log_volume)), number(math.exp(rest.log_volume)), number(math.exp(found.volume)),
            number(1 / (1 - found.leverage)),
        ),
        md(
            "**Lemma 10.1: p(θ) = ν(b(θ)) |det ∂b/∂θ|**, ν the density of N(0, σ²I). log p = {} + {} = {} with z, {} + {} = {} without.",
            number(whole.log_noise_density), number(whole.log_volume), number(whole.log_density),
            number(rest.log_noise_density), number(rest.log_volume), number(rest.log_density),
        ),
        md(
            "**Two terms.** log p(θ|D)/p(θ|D∖z) = {} from the determinants + {} from the noise = {}. The first is never more than "
            "log(1 + β/λ) = {}; the second is (‖b(θ; D∖z)‖² − ‖b(θ; D)‖²)/2σ².",
            number(found.volume), number(found.noise), number(found.log_ratio), number(math.log1p(state.beta / state.lam)),
        ),
        md(
            "**The same without a second derivative.** The model is fitted again for noises a little to each side of b: the minimisers "
            "spread over an area of {} per unit of noise with z, {} without, and p(θ) = ν(b)/area. The log ratio of these densities is {}; "
            "step 4 says {}; they differ by {}.",
            number(whole.area), number(rest.area), number(found.refit_log_ratio), number(found.log_ratio),
            number(abs(found.refit_log_ratio - found.log_ratio), 1),
        ),
    ]  # fmt: skip


def answers(state: views.ObjectiveView) -> list[Metric]:
    """Both terms, their sum, and the same by refits."""
    found = change(state)
    return [
        Metric("Determinants", number(found.volume), f"at most {number(math.log1p(state.beta / state.lam))}"),
        Metric("Noise", number(found.noise)),
        Metric("log p(θ|D)/p(θ|D∖z)", number(found.log_ratio), "nats, sum of both"),
        Metric("The same by refits", number(found.refit_log_ratio), "finite differences"),
    ]


def observations(state: views.ObjectiveView) -> list[str]:
    """What the steps show."""
    found = change(state)
    return [
        md(
            "**At this θ the release speaks {} the record being there**: p(θ|D)/p(θ|D∖z) = {}. Privacy bounds this ratio over all θ, "
            "all data and all records.",
            "for" if found.log_ratio > 0 else "against",
            number(math.exp(min(found.log_ratio, 700.0))),
        ),
        md(
            "**Where the lattice at the right is pulled apart the density is low.** The losses bend most near θ = 0 and draw it together "
            "there; with z a little more than without."
        ),
        md("**It holds** for convex losses with two derivatives and λ > 0: then θ and b determine each other."),
        md("**The six records are made up**: of real data these numbers are confidential."),
    ]


def program(state: views.ObjectiveView) -> str:
    """The lines of dpcore that make these numbers."""
    return "\n".join(
        [
            "import dpcore as dp",
            f"model = dp.exhibits.objective_perturbation.change_of_variables.{small_model(state)!r}",
            f"change = model.at({theta(state)!r})",
            "change.volume, change.noise, change.log_ratio, change.refit_log_ratio",
        ]
    )


def _vector(values: Iterable[float]) -> str:
    return md("({}, {})", *(number(float(value)) for value in values))
