"""What the noise-augmentation page says about what it shows."""

import math

import pandas as pd

from dpcore.exhibits.noise_augmentation.claims import Statement
from dpcore.learners.napp import Claimed, NoiseAugmentedLearner, SphericalObjectivePerturbation
from dpcore.references import FormulaCard
from pages.components.say import md
from pages.components.words import count, number
from pages.your_data.noise_augmentation import paths_view, sizes_view, study_words
from pages.your_data.noise_augmentation.shown import Shown
from pages.your_data.noise_augmentation.state import AugmentationView


def observations(state: AugmentationView, shown: Shown) -> list[str]:
    """Statements computed from what is on screen."""
    words = {
        "rows": _rows,
        "realised": _realised,
        "paths": _paths,
        "private": _private,
        "study": study_words.study,
        "theory": _theory,
        "sizes": sizes_view.words,
    }
    return words[state.view](state, shown.facts)


def _rows(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    said = [
        md(
            "**Nothing but rows is added.** {} rows, none with an entry beyond {}, turn an ordinary fit "
            "into a regularised and perturbed one. Any software for GLMs can do the rest.",
            count(state.rows),
            number(facts["spread"]),
        ),
        md(
            "**The noise b is carried exactly** to first order (off by {}): each row holds a share b/nₑ, with the "
            "sign of its own slope at 0.",
            number(facts["carried"]),
        ),
        md(
            "**The regulariser is carried on average only**: the fit misses its limit by {} here, and the error falls "
            "with slope {} in nₑ: −½ in the end, as claimed; steeper while the squares of b/nₑ, "
            "which fall as 1/nₑ, still count.",
            number(facts["here"]),
            number(facts["slope"]),
        ),
        md(
            "**Paired signs must share a label.** As printed, the pairs of logistic regression span both labels: their linear terms then "
            "add up to noise that more rows never remove. With $e_y = 0$ (linear) or 1 (Poisson), as printed, no noise arrives at all."
        ),
    ]
    if state.variant == "certified":
        said.append(
            md(
                "**Certified means**: the quadratic and b enter exactly. The picture shows their rows; a release "
                "adds the exact terms instead."
            )
        )
    return said


def _realised(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    said = [
        md(
            "**Two curvatures, one word.** With its weights held fixed each step is strongly convex (crosses and dashed line). The weights "
            "follow θ, though, and the regulariser they realise bends by the solid line only."
        ),
    ]
    if facts["least"] < 2 * facts["floor"] and math.isfinite(facts["crossover"]):
        said.append(
            md(
                "**Up to |θ| = {} the maximum gives {} of the needed "
                "{}.** The Jacobian bound of the proof has nothing to stand on there.",
                number(facts["crossover"]),
                number(facts["least"]),
                number(2 * facts["floor"]),
            )
        )
    said.append(
        md(
            "**MOOR does reach its target near 0**, where the sum carries Λ₀θ² on top. That is the over-regularisation it removes, and the "
            "convexity it gives up."
        )
    )
    if state.printed and state.kind != "ridge":
        said.append(
            md(
                "**Printed weights**: both curves stand above the target by the same factor, 2/(2 − γ); for the lasso, 2."
            )
        )
    return said


def _paths(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    said = [
        md(
            "**Each step is a plain ridge**; a coefficient that shrinks gets a larger weight, so that some run to 0 at a constant rate."
        ),
        md("**{:.0f} coefficients are 0 at the end**; circles mark the exact minimiser", facts["zeros"])
        + (f", off by at most {number(facts['off'])}." if math.isfinite(facts["off"]) else "."),
    ]
    if facts["flipping"]:
        said.append(
            md(
                "**{:.0f} coefficients flip their sign to the end**: bᵀ|θ| with b larger than Λ never settles; the source "
                "sets them to 0.",
                facts["flipping"],
            )
        )
    if state.finite:
        said.append(md("**Fresh rows in every iteration** keep the paths trembling; more rows calm them as 1/√nₑ."))
    if state.variant == "certified":
        said.append(
            md(
                "**Certified is where the circles are**: a release is the exact minimiser. The iterates on the way "
                "carry weights read off the "
                "data, and no guarantee."
            )
            if state.kind != "ridge"
            else md("**Certified is the exact minimiser**, with b and the quadratic as they are, not as rows.")
        )
    else:
        said.append(
            md(
                "**{:.0f} % of the Jacobian's budget** could be had back, says Proposition 6. The share is read off "
                "the private data: see 'Is this private?'.",
                100 * facts["retrieved"],
            )
        )
    return said + paths_view.words(state, facts)


def _private(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    reasons = {
        "moor": "Without the record no output falls between 0 and Λ/(2Λ₀): the maximum has no curvature there. With it, some do."
        if not state.others
        else "Between 0 and Λ/(2Λ₀) the maximum has no curvature: all that keeps outputs comparable is that of the other records.",
        "vs_plus": "With b ≥ 0 the noise can only shrink θ towards 0: how far out θ can lie is a fact about the data.",
        "retrieval": "At small θ nearly the whole Jacobian budget is handed back, while the log ratio stays where it was.",
        "certified": "The quadratic Λ₀θ² is there at every θ: the log ratio stays at or below its proven bound.",
    }
    said = [md("**Why.** {}", reasons[state.attacked])]
    if facts["delta"] > 1e-9:
        said.append(
            md(
                "**ε = {} is claimed with δ = 0; the truth is δ = {}** for this one record, from "
                "the exact densities by quadrature. No sample, no attack to tune.",
                number(state.epsilon),
                number(facts["delta"]),
            )
        )
    else:
        said.append(
            md("**No violation at these settings.** That proves nothing; move Λ, ε or the record, or take the preset.")
        )
    said += [
        md(
            "**More data can hide the failure**: other records bring curvature of their own. A guarantee may not lean on that."
        ),
        md(
            "**What holds**: the sum form with Λ₀ = {} has ε = cL + log(1 + β/(2Λ₀)) = {}, "
            "the log in one direction only.",
            number(facts["floor"]),
            number(facts["proven"]),
        ),
    ]
    return said


def _theory(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    return [
        md(
            "**The proven bound needs the exact minimiser of the sum form**: (‖b‖²/(4Λ₀) + Λ₀‖θ̂‖²)/n, half of Lemma 7's first term."
        ),
        md(
            "**Lemma 7 was exceeded in {:.0f} % of the draws at t = 1.** Its last step needs R⁽ᵗ⁾ ≥ ΛR at the noisy "
            "estimate; a small Λ₀ under a strong lasso breaks it (try a large Λ and a large ε).",
            100 * facts["broken"],
        ),
        md(
            "**Theorem 8 as printed multiplies the gap by ‖b‖² too**, which Lemma 7 does not; where the gap is negative it has no value."
        ),
        md(
            "**Theorem 10 contains a constant C′ that the source does not give**; with 1 the bound holds by a wide "
            "margin, and falls with n "
            "only to a floor of −C′ log π′/(2k)."
        ),
    ]


def formula_cards(state: AugmentationView) -> list[FormulaCard]:
    """The algorithm, what is proven and what is claimed."""
    return [NoiseAugmentedLearner.card, SphericalObjectivePerturbation.card, Claimed.card]


_VERDICTS = {True: "✓ holds here", False: "✕ does not hold here", None: "? not settled yet"}


def claim_table(claims: list[Statement]) -> pd.DataFrame:
    """Statements of the source with their verdicts."""
    return pd.DataFrame(
        [(c.where, c.text, _VERDICTS[c.holds], c.evidence) for c in claims],
        columns=["source", "statement", "verdict", "by computation"],
    )
