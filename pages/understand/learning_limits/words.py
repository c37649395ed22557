"""What the learning-limits page says about what it shows."""

from pages.components.say import md
from pages.components.words import number, times
from pages.understand.learning_limits.squeeze import Squeezed, convexity_words
from pages.understand.learning_limits.views import Finite, Packed


def observations(shown: Finite | Packed | Squeezed) -> list[str]:
    """Statements computed from what is on screen."""
    if isinstance(shown, Finite):
        bound, agnostic = shown.bound, shown.setting == "agnostic"
        said = [
            md("**Privacy costs {} what sampling costs here.** ", times(bound.privacy / bound.statistical))
            + (
                "It falls as 1/(nε) while sampling falls as 1/√n, so beyond n of about log(2|H|/β)/(2ε²) it is the smaller part: "
                "asymptotically privacy is free."
                if agnostic
                else "Both fall as 1/n, so the ratio stays 1/ε for ever: without wrong labels privacy is never free."
            ),
            md(
                "**The bound is not the truth.** Measured: {}, bound: {}. It holds for every "
                "class of this size and every source of data; thresholds next to the best one are nearly as good as it.",
                number(shown.measured),
                number(bound.total),
            ),
            md(
                "**The lecture's rates carry no constants**: √(log(|H|/β)/n) + log(|H|/β)/(nε). The curve is a bound, with its constants."
            ),
        ]
        if not agnostic:
            said.append(
                md("**Only a rate elsewhere, a bound here**: the constant 1 needs all of ε on the errors, not ε/2.")
            )
        return said
    if isinstance(shown, Packed):
        packing = shown.packing
        return [
            md(
                "**1 · The set-up.** [0, 1] is cut into k = {} bins. Data set i has all {} records in bin i: half "
                "just below its centre and negative, half just above and positive.",
                packing.bins,
                packing.n,
            ),
            md(
                "**2 · Success means hitting the bin.** A threshold outside the middle of bin i errs on half of data set i. An expected "
                "error below 0.45 needs the right interval with probability above 0.9."
            ),
            md(
                "**3 · Group privacy.** From data set i to data set 1 all records change: {} edits. So at least "
                "e^(−ε·{}) = {} of any probability survives the exchange.",
                packing.edits * packing.n,
                packing.edits * packing.n,
                number(float(packing.forced[0]) / 0.9),
            ),
            md(
                "**4 · Adding up.** Success on the other {} data sets forces {} outside bin 1 "
                "on data set 1; success there leaves only 0.1. ",
                packing.bins - 1,
                number(packing.forced_outside),
            )
            + (
                md("**That is a contradiction: no ε-DP learner succeeds on all of them.**")
                if packing.contradiction
                else f"No contradiction yet: it needs {number(packing.bins_needed)} bins, fewer records, or a smaller ε."
            ),
            md(
                "**Real learners run here, and stay below the limit**: {} succeeds with {}, no ε-DP learner "
                "with more than {}. Thresholds on the whole line have as many bins as one likes: the limit goes to 0.",
                shown.name,
                number(shown.success),
                number(packing.limit),
            ),
            md(
                "**The lecture's sum** prints k·e^(−εn)·0.9 = 0.9 for k − 1 terms; with k = e^(εn) + 1 bins it is exact."
            ),
        ]
    found = shown.found
    broken = ", ".join(f"{name} at y = {number(where)}" for name, where in found.failures.items())
    return [
        convexity_words(shown),
        md(
            "**{}.** A claim must hold at every x; move the touching point to look for a failure.",
            "A claim fails: " + broken if broken else "At this x every claim holds",
        ),
        md(
            "**Strong convexity is a parabola below, smoothness a parabola above**, both touching f with the same tangent. With λ = 0 the "
            "lower one is the tangent itself: plain convexity."
        ),
        md(
            "**Why privacy cares**: λ limits how far one record can move the minimiser (L/λ), β how far its curvature shows, "
            "L how hard it pulls."
        ),
        md("**The ridge adds exactly λ₀ to every curvature**, which is why regularisation and privacy go together."),
    ]


def program(shown: Finite | Packed | Squeezed) -> str:
    """The lines of dpcore that make these numbers."""
    if isinstance(shown, Finite):
        arguments = f"{shown.size}, {shown.n}, {shown.epsilon!r}, {shown.beta!r}"
        return "\n".join(
            [
                "import dpcore as dp",
                f"dp.studies.learning_limits.risk_bound({arguments}, {shown.setting!r})",
                f"dp.studies.learning_limits.measured_excess({arguments}, {shown.noise!r})",
            ]
        )
    if isinstance(shown, Packed):
        return "\n".join(
            [
                "import dpcore as dp",
                f"packing = dp.studies.learning_limits.{shown.packing!r}",
                "packing.forced_outside, packing.contradiction, packing.limit",
                f"dp.studies.learning_limits.worst_success(packing, {shown.learner!r})",
            ]
        )
    claims = f"{shown.convexity!r}, {shown.smoothness!r}, {shown.lipschitz!r}"
    shape = f"convexity.drawn_shape({shown.shape!r})" if shown.drawn else repr(shown.shape)
    return "\n".join(
        [
            "import dpcore as dp",
            "convexity = dp.studies.learning_limits.convexity",
            f"convexity.sandwich({shape}, {shown.ridge!r}, {shown.x!r}, {claims}).failures",
        ]
    )
