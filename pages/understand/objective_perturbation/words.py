"""What the objective-perturbation page says about what it shows."""

import math

from dpcore.exhibits.objective_perturbation.change_of_variables import CHANGE_CARD
from dpcore.exhibits.objective_perturbation.sampled_records import SAMPLED_CARD
from dpcore.mechanisms import ApproximateMinimaPerturbation
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components.say import md
from pages.components.words import number, times, times_from_log
from pages.understand.objective_perturbation import beyond, sampling, variables
from pages.understand.objective_perturbation.views import BOUNDS, ObjectiveView, renyi_curve

_NONE = 0.99  # a δ that protects hardly anybody


def observations(view: str, state: ObjectiveView) -> list[str]:
    """Statements computed from what is on screen."""
    of_view = {
        "walk": _walk,
        "renyi": _renyi,
        "stopping": _stopping,
        "calibration": lambda state: _CALIBRATION,
        "beyond": beyond.observations,
        "variables": variables.observations,
        "sampled": sampling.observations,
    }
    return of_view.get(view, _profile)(state)


_CALIBRATION = [
    md(
        "**Above its contour a bound certifies the target.** The tight region contains every other; left of the dotted line no "
        "analysis can help, because the Gaussian mechanism itself would fail."
    ),
    md("**Where a contour is missing, that bound gives no guarantee at any λ** for this noise."),
    md(
        "**More noise buys less regularisation** and the reverse; the star balances the two for the assumed n, d and B."
    ),
]


def _walk(state: ObjectiveView) -> list[str]:
    kappa = state.beta / state.lam
    threshold = math.log1p(kappa)
    regime = (
        "one ramp of slope κ"
        if state.epsilon <= threshold
        else "a curved part that follows the unconstrained optimum, joined to a ramp"
    )
    return [
        md(
            "**The whole mechanism collapses to one dimension**: the record moves the noise by e(u), between 0 and Δ = "
            "{}, falling no faster than κ = β/λ = {}.",
            number(state.lipschitz / state.sigma),
            number(kappa),
        ),
        md("**At ε = {}** (log(1 + κ) = {}) the worst loss is {}.", number(state.epsilon), number(threshold), regime),
        md(
            "**Right of the ramp the shift is zero**: there the record's gradient has vanished and only the curvature was seen."
        ),
    ]


def _stopping(state: ObjectiveView) -> list[str]:
    return [
        md(
            "**Stopping early is a second release.** The exact minimiser is released under b; where the solver stopped lies within "
            "τ/λ of it, and N(0, σₒᵤₜ²) hides that. A record moves the difference by at most 2τ/λ: a Gaussian mechanism of "
            "shift {}, composed with the first.",
            number(2 * state.tau / (state.lam * state.sigma_out)),
        ),
        md(
            "**Only τ/(λσₒᵤₜ) counts.** Half the τ with half the σₒᵤₜ is the same curve; beyond the bend at the right more "
            "noise buys nothing, before it every factor costs as much in ε."
        ),
        md(
            "**The bound on the gradient must hold in every release**, so it is verified, and nothing is released where it fails."
        ),
    ]


def _profile(state: ObjectiveView) -> list[str]:
    tight, lower = state.mechanism("tight"), state.mechanism("lower")
    said = [
        md(
            "**The tight profile is {} the Gaussian lower bound** at ε = {}; as λ grows the two meet.",
            times_from_log(float(tight.log_delta(state.epsilon)) - float(lower.log_delta(state.epsilon))),
            number(state.epsilon),
        ),
        md(
            "**Theorem 3.1 pays twice**: a factor 2 for both signs of the noise, and a shift of ε by {} that is needed in one "
            "direction only{}.",
            "log(1 + β/λ)" if state.sharper else "|log(1 − β/λ)|",
            md("") if state.too_little else _at_zero(state),
        ),
        md(
            "**The gap is one of regularisation**: with the tight profile the same (ε, δ) needs a far smaller λ (view: Calibrate)."
        ),
    ]
    if "lecture" in state.shown:
        said.append(_lecture(state))
    end = float(tight.delta(state.epsilon_max))
    if end > _NONE:
        said.insert(
            0,
            md(
                "**Hardly any privacy on this axis**: δ is still {} at its end, ε = {}, for every bound. More noise σ, or a longer "
                "axis of ε, tells the bounds apart.",
                number(end),
                number(state.epsilon_max),
            ),
        )
    if state.too_little:
        said.append(md("**λ ≤ β**: Theorems 3.1 and 3.2 do not apply. The tight profile still does."))
    return said


def _at_zero(state: ObjectiveView) -> str:
    charged, exact = (float(state.mechanism(bound).delta(0.0)) for bound in ("hockey_stick", "tight"))
    return md(": at ε = 0 it charges δ = {}, where the truth is {}", number(charged), number(exact))


def _lecture(state: ObjectiveView) -> str:
    return md(
        "**The lecture's statement** charges ε = {} at δ = {}, of which d·log(1 + β/λ) is {}; the truth is {}. For a "
        "generalised linear model its own proof gives the first term with d = 1; for other losses the proof's last step fails.",
        number(float(state.mechanism("lecture").epsilon(state.delta))),
        number(state.delta),
        number(state.dimension * math.log1p(state.beta / state.lam)),
        number(float(state.mechanism("tight").epsilon(state.delta))),
    )


def _renyi(state: ObjectiveView) -> list[str]:
    return [
        md(
            "**Theorem 3.2 and half-normal differ by the leading term {} only**, which vanishes as λ grows; the half-normal "
            "curve meets the Gaussian one only at large α.",
            "log(1 + β/λ)" if state.sharper else "−log(1 − β/λ)",
        ),
        _renyi_gaps(state),
    ]


def _renyi_gaps(state: ObjectiveView) -> str:
    """How far the tight Rényi curve is from the Gaussian one below it and the published one above it, at worst."""
    tight, lower, published = (renyi_curve(state, bound) for bound in ("tight", "lower", "renyi"))
    order, gap = curves.peak(curves.ratio(tight, lower))
    said = md(
        "**The tight curve is at most {} the Gaussian one**, at α = {}, and comes back to it at large α. ",
        times(gap),
        number(order),
    )
    order, gap = curves.peak(curves.ratio(published, tight))
    if math.isnan(gap):
        return said + "Theorem 3.2 says nothing for λ ≤ β."
    return said + md(
        "The published bound is up to {} the tight one, at α = {}: the analysis loses that, not the mechanism.",
        times(gap),
        number(order),
    )


def formula_cards(view: str, state: ObjectiveView) -> list[FormulaCard]:
    """Cards of the bounds on screen."""
    if view == "stopping":
        return [ApproximateMinimaPerturbation.card]
    if view == "variables":
        return [CHANGE_CARD]
    if view == "sampled":
        return [SAMPLED_CARD, state.mechanism("tight").card]
    if view == "beyond":
        return [state.mechanism("tight").card, state.mechanism("non_glm").card]
    return [state.mechanism(bound).card for bound in BOUNDS if bound in state.shown]


def program(view: str, state: ObjectiveView) -> str:
    """The lines of dpcore that make these numbers."""
    if view == "beyond":
        return beyond.program(state)
    if view == "variables":
        return variables.program(state)
    if view == "sampled":
        return sampling.program(state)
    lines = [
        "import dpcore as dp",
        f"tight = dp.{state.mechanism('tight')!r}",
        f"published = dp.{state.mechanism('hockey_stick')!r}",
        f"tight.delta({state.epsilon!r}), published.delta({state.epsilon!r}), tight.epsilon({state.delta!r})",
    ]
    if view == "stopping":
        lines = [
            "import dpcore as dp",
            f"tight = dp.{state.mechanism('tight')!r}",
            f"whole = dp.exhibits.objective_perturbation.stopped_solver.stopped(tight, {state.tau!r}, {state.sigma_out!r})",
            f"tight.epsilon({state.delta!r}), whole.epsilon({state.delta!r}), whole.second_shift",
        ]
    if view == "calibration":
        plan = state.plan
        lines = [
            "import dpcore as dp",
            f"loss = dict(lipschitz={state.lipschitz!r}, smoothness={state.beta!r})",
            f"dp.paper_rule({plan.epsilon!r}, {state.delta!r}, bound='tight', **loss)",
            f"assumed = dict(dimension={plan.dimension}, theta_norm={plan.norm!r}, n={plan.n})",
            f"dp.best_calibration({plan.epsilon!r}, {state.delta!r}, **loss, **assumed)",
        ]
    return "\n".join(lines)
