"""What the noise-augmentation page says about what it shows."""

import math

import pandas as pd

from dpcore.audit.napp_claims import Claim
from dpcore.learners.napp import Claimed, NoiseAugmentedLearner, SphericalObjectivePerturbation
from dpcore.references import FormulaCard
from pages.components import napp_study
from pages.components.napp_state import State
from pages.components.napp_views import EPSILONS, SIZES, Shown
from pages.components.words import number


def observations(state: State, shown: Shown) -> list[str]:
    """Statements computed from what is on screen."""
    say = {
        "rows": _rows,
        "realised": _realised,
        "paths": _paths,
        "private": _private,
        "study": _study,
        "theory": _theory,
    }
    return say[state.view](state, shown.facts)


def _rows(state: State, facts: dict[str, float]) -> list[str]:
    said = [
        f"**Nothing but rows is added.** {state.rows} rows, none with an entry beyond {number(facts['spread'])}, turn an ordinary fit "
        "into a regularised and perturbed one. Any software for GLMs can do the rest.",
        f"**The noise b is carried exactly** to first order (off by {number(facts['carried'])}): each row holds a share b/n_e, with the "
        "sign of its own slope at 0.",
        f"**The regulariser is carried on average only**: the fit misses its limit by {number(facts['here'])} here, and the error falls "
        f"with slope {number(facts['slope'])} in n_e: −½ in the end, as claimed; steeper while the squares of b/n_e, "
        "which fall as 1/n_e, still count.",
        "**Paired signs must share a label.** As printed, the pairs of logistic regression span both labels: their linear terms then "
        "add up to noise that more rows never remove. With e_y = 0 (linear) or 1 (Poisson), as printed, no noise arrives at all.",
    ]
    if state.variant == "certified":
        said.append(
            "**Certified means**: the quadratic and b enter exactly. The picture shows their rows; a release adds the exact terms instead."
        )
    return said


def _realised(state: State, facts: dict[str, float]) -> list[str]:
    said = [
        "**Two curvatures, one word.** With its weights held fixed each step is strongly convex (crosses and dashed line). The weights "
        "follow θ, though, and the regulariser they realise bends by the solid line only.",
    ]
    if facts["least"] < 2 * facts["floor"] and math.isfinite(facts["crossover"]):
        said.append(
            f"**Up to |θ| = {number(facts['crossover'])} the maximum gives {number(facts['least'])} of the needed "
            f"{number(2 * facts['floor'])}.** The Jacobian bound of the proof has nothing to stand on there."
        )
    said.append(
        "**MOOR does reach its target near 0**, where the sum carries Λ₀θ² on top. That is the over-regularisation it removes, and the "
        "convexity it gives up."
    )
    if state.printed and state.kind != "ridge":
        said.append(
            "**Printed weights**: both curves stand above the target by the same factor, 2/(2 − γ); for the lasso, 2."
        )
    return said


def _paths(state: State, facts: dict[str, float]) -> list[str]:
    said = [
        "**Each step is a plain ridge**; a coefficient that shrinks gets a larger weight, so that some run to 0 at a constant rate.",
        f"**{facts['zeros']:.0f} coefficients are 0 at the end**; circles mark the exact minimiser"
        + (f", off by at most {number(facts['off'])}." if math.isfinite(facts["off"]) else "."),
    ]
    if facts["flipping"]:
        said.append(
            f"**{facts['flipping']:.0f} coefficients flip their sign to the end**: bᵀ|θ| with b larger than Λ never settles; the source "
            "sets them to 0."
        )
    if state.finite:
        said.append("**Fresh rows in every iteration** keep the paths trembling; more rows calm them as 1/√n_e.")
    if state.variant == "certified":
        said.append(
            "**Certified is where the circles are**: a release is the exact minimiser. The iterates on the way carry weights read off the "
            "data, and no guarantee."
            if state.kind != "ridge"
            else "**Certified is the exact minimiser**, with b and the quadratic as they are, not as rows."
        )
    else:
        said.append(
            f"**{100 * facts['retrieved']:.0f} % of the Jacobian's budget** could be had back, says Proposition 6. The share is read off "
            "the private data: see 'Is this private?'."
        )
    return said


def _private(state: State, facts: dict[str, float]) -> list[str]:
    reasons = {
        "moor": "Without the record no output falls between 0 and Λ/(2Λ₀): the maximum has no curvature there. With it, some do."
        if not state.others
        else "Between 0 and Λ/(2Λ₀) the maximum has no curvature: all that keeps outputs comparable is that of the other records.",
        "vs_plus": "With b ≥ 0 the noise can only shrink θ towards 0: how far out θ can lie is a fact about the data.",
        "retrieval": "At small θ nearly the whole Jacobian budget is handed back, while the log ratio stays where it was.",
        "certified": "The quadratic Λ₀θ² is there at every θ: the log ratio stays at or below its proven bound.",
    }
    said = [f"**Why.** {reasons[state.attacked]}"]
    if facts["delta"] > 1e-9:
        said.append(
            f"**ε = {number(state.epsilon)} is claimed with δ = 0; the truth is δ = {number(facts['delta'])}** for this one record, from "
            "the exact densities by quadrature. No sample, no attack to tune."
        )
    else:
        said.append(
            "**No violation at these settings.** That proves nothing; move Λ, ε or the record, or take the preset."
        )
    said += [
        "**More data can hide the failure**: other records bring curvature of their own. A guarantee may not lean on that.",
        f"**What holds**: the sum form with Λ₀ = {number(facts['floor'])} has ε = cL + log(1 + β/(2Λ₀)) = {number(facts['proven'])}, "
        "the log in one direction only.",
    ]
    return said


def _study(state: State, facts: dict[str, float]) -> list[str]:
    return [
        "**None of these private curves is private as claimed**, except where the claim coincides with the certified form: read them as "
        "what the source's algorithms do.",
        "**Each method is shown at the point its iteration converges to** (n_e → ∞, T → ∞), found directly: the same point, no trembling.",
        "**Constants the source leaves open are ours**: ζ = 1, 2, 3 and targets within 2, 1, 20 (linear, logistic, Poisson); "
        "gradients are clipped to ζ."
        if state.simulated
        else "**Choices the source leaves open are ours**: how columns are scaled, ζ and ζ₃ from the row norm R. Λ₀ = ζ₃/ε; on Adult the "
        "source takes 1/ε. Two thirds of the records train, the others test, in a new split for every repeat.",
        "**Noise**: ‖b‖ has the Gamma(p) law its density demands; with the printed shape 1 it would be p times too small. The source says "
        "δ = 0.001 in one place and 0.0001 in another; 10⁻⁴ is preset.",
    ]


def _theory(state: State, facts: dict[str, float]) -> list[str]:
    return [
        "**The proven bound needs the exact minimiser of the sum form**: (‖b‖²/(4Λ₀) + Λ₀‖θ̂‖²)/n, half of Lemma 7's first term.",
        f"**Lemma 7 was exceeded in {100 * facts['broken']:.0f} % of the draws at t = 1.** Its last step needs R⁽ᵗ⁾ ≥ ΛR at the noisy "
        "estimate; a small Λ₀ under a strong lasso breaks it (try a large Λ and a large ε).",
        "**Theorem 8 as printed multiplies the gap by ‖b‖² too**, which Lemma 7 does not; where the gap is negative it has no value.",
        "**Theorem 10 contains a constant C′ that the source does not give**; with 1 the bound holds by a wide margin, and falls with n "
        "only to a floor of −C′ log π′/(2k).",
    ]


def formula_cards(state: State) -> list[FormulaCard]:
    """The algorithm, what is proven and what is claimed."""
    return [NoiseAugmentedLearner.card, SphericalObjectivePerturbation.card, Claimed.card]


_VERDICTS = {True: "✓ holds here", False: "✕ does not hold here", None: "? not settled yet"}


def claim_table(claims: list[Claim]) -> pd.DataFrame:
    """Statements of the source with their verdicts."""
    return pd.DataFrame(
        [(c.where, c.text, _VERDICTS[c.holds], c.evidence) for c in claims],
        columns=["source", "statement", "verdict", "by computation"],
    )


def program(state: State) -> str:
    """The lines of dpcore that make these numbers."""
    if state.view == "private":
        last = f"audit.after_iterations(scenario, {state.after})" if state.after else "scenario.certified.pure_epsilon"
        return "\n".join([
            "from dpcore.audit import napp as audit",
            f"scenario = audit.{state.scenario!r}",
            f"audit.attack(scenario, {state.attacked!r}).delta, {last}",
        ])  # fmt: skip
    if state.view == "realised":
        return "\n".join([
            "from dpcore.learners import napp",
            "from dpcore.learners.napp.pictures import realised_picture",
            f"target = napp.{state.regularizer!r}",
            f"picture = realised_picture(target, {state.scenario.floor!r}, printed={state.printed!r})",
            "picture.theta, picture.moor, picture.curvature",
        ])  # fmt: skip
    return "\n".join(
        [*_case(state), *{"study": _study_code, "theory": _theory_code}.get(state.view, _learner_code)(state)]
    )


def _case(state: State) -> list[str]:
    """Lines that make the data."""
    if state.simulated:
        return ["from dpcore.learners.napp.settings import example", f"case = example({state.data!r}, {state.n})"]
    return [
        "from dpcore.learners.napp.settings import from_dataset",
        f"case = from_dataset(dataset, {state.loss!r}, {state.clip!r})  # dataset: a dp.Dataset",
    ]


def _learner_code(state: State) -> list[str]:
    certified = state.variant == "certified"
    more = ", clip=case.clip"
    if not certified:
        more = f", selection={state.selection!r}, weights={'printed' if state.printed else 'corrected'!r}{more}"
    seen = (
        f"row_picture(case, chosen['weighting'], chosen['noise'], {state.rows}, {2 if state.second else 1}).slope"
        if state.view == "rows"
        else f"path_picture(case, chosen['weighting'], chosen['noise'], selection={'none' if certified else state.selection!r}, "
        f"rows={state.rows if state.finite else None}, limit={min(state.limit, 40) if state.finite else state.limit}).trace.theta"
    )
    return [
        "from dpcore.learners import napp",
        f"from dpcore.learners.napp.pictures import {'row_picture' if state.view == 'rows' else 'path_picture'}",
        f"target = napp.{state.regularizer!r}",
        f"learner = napp.NoiseAugmentedLearner(case.loss, {state.epsilon!r}, {state.delta!r}, target, {state.variant!r}{more})",
        "plan = learner.plan(case.facts)  # a release: learner.fit(dataset, rng)",
        "chosen = plan.parameters",
        f"plan.profile.bound, plan.profile.epsilon({state.delta!r}), {seen}",
    ]


def _study_code(state: State) -> list[str]:
    study = napp_study.study(state)
    source = f"{state.data!r}" if state.simulated else "case"
    return [
        "from dpcore.learners.napp.study import Study, summarise",
        f"study = Study({source}, {study.n}, {study.epsilons}, {study.strengths},",
        f"              {study.repeats}, {study.delta!r}, {study.printed})",
        "points = {point.key: point for point in study.run({})}",
        f"summarise(study, points).of('VS+', 'prediction error', {max(study.epsilons)})",
    ]


def _theory_code(state: State) -> list[str]:
    return [
        "from dpcore.learners import napp",
        "from dpcore.learners.napp.theory import risk_against_epsilon, risk_against_n",
        f"risk = risk_against_epsilon(case, napp.{state.regularizer!r}, {state.delta!r}, {EPSILONS}, 10)",
        f"sample = risk_against_n({state.strength!r}, {state.epsilon!r}, {state.delta!r}, {SIZES})",
        "risk.curves['measured, mean'], risk.exceeded, sample.mean",
    ]
