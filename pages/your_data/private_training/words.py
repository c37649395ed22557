"""Words, formulas and presets of the private-training page."""

from __future__ import annotations

from dpcore.data.samples.published import INTERCEPT
from dpcore.exhibits import training
from dpcore.exhibits.training import SAG_CARD
from dpcore.learners import AMP
from dpcore.references import FormulaCard
from pages.components.say import md
from pages.components.words import number
from pages.your_data.private_training import live, printed, study

_FIGURE = {
    "tr_view": "study", "tr_form": "published", "tr_learners": ["published", "honest", "dishonest"],
    "tr_grid": list(study.EPSILONS), "tr_repeats": 10, "tr_epochs": 60, "tr_delta": -5,
}  # fmt: skip
PRESETS = {
    "Three budgets": {**_FIGURE, "tr_data": "synthetic_l", "tr_learners": ["published"], "tr_grid": [0.1, 1.0, 8.0]},
    "Accuracy by budget": {**_FIGURE, "tr_data": "synthetic_l"},
    "Accuracy on Synthetic-H": {**_FIGURE, "tr_data": "synthetic_h"},
    "Accuracy on Adult": {**_FIGURE, "tr_data": "adult"},
    "Accuracy on Gisette": {**_FIGURE, "tr_data": "gisette"},
    "Tight against published": {
        **_FIGURE, "tr_data": "synthetic_l", "tr_learners": ["tight", "published"], "tr_grid": [0.1, 1.0, 8.0],
    },
    "Too little λ": {
        "tr_data": "synthetic_l", "tr_view": "live", "tr_how": "rule", "tr_rule": "paper", "tr_epsilon": 0.1,
    },
    "Linear regression": {
        "tr_data": "linear", "tr_view": "study", "tr_learners": ["tight", "output", "posterior", "adaops"],
        "tr_grid": [0.1, 0.5, 1.0, 2.0, 4.0, 8.0], "tr_repeats": 10,
    },
}  # fmt: skip
SOURCES = {
    "Three budgets": "Redberg, Koskela and Wang, Table 1, Algorithm 1 at their settings.",
    "Accuracy by budget": "Redberg, Koskela and Wang, Fig. 2 at their settings, on Synthetic-L.",
    "Accuracy on Synthetic-H": "Redberg, Koskela and Wang, Fig. 2 at their settings, on Synthetic-H; half a minute for each DP-SGD.",
    "Accuracy on Adult": "Redberg, Koskela and Wang, Fig. 2 and Table 2 at their settings, on Adult.",
    "Accuracy on Gisette": "Redberg, Koskela and Wang, Fig. 2 at their settings, on Gisette.",
}
DECISIONS = [
    md(
        "**Nothing is tuned on the data.** C, σ and λ follow from n, d, the bounds on a record and the loss; a λ chosen by "
        "cross-validation would void the guarantee."
    ),
    md(
        "**Clipping.** Gradients are clipped at C by replacing each record's loss with a convex one that is linear where it was too "
        "steep; a smaller C buys less noise for some bias."
    ),
    md(
        "**The bias column** is a column of X like any other: counted in the row norm and regularised. By default its length is "
        "{:g} in rows of norm 1; the source's column of 1 raises the Lipschitz constant, and the noise, by √2. An "
        "unregularised intercept has no guarantee.",
        INTERCEPT,
    ),
    md("**Rows are scaled one by one** to the public norm; scaling by statistics of the data would leak them."),
    md("**A λ that is too small is refused**, with the reason, where a bound needs λ > β."),
]


def live_observations(view: live.LiveView, result: training.LiveResult) -> list[str]:
    """Statements computed from the draws on screen."""
    name = live.score(result)
    mean, clean, free = float(result.scores[name].mean()), result.without_noise[name], result.non_private[name]
    said = [
        md(
            "**Where the {} goes**: {} without privacy, "
            "{} with the same λ and C but no noise, {} on average over "
            "the draws. The first step is bias, the same in every draw; the second is noise.",
            training.SCORES[name].title,
            live.shown(name, free),
            live.shown(name, clean),
            live.shown(name, mean),
        ),
        md(
            "**Prediction and measurement**: the noise raises the regularised objective by "
            "{} per record on average; ½σ²·tr(∇²J⁻¹) predicts "
            "{}. The worst-case bound on the excess risk "
            "({}) does not know the data and is larger than what is measured "
            "({}).",
            number(float(result.noise_excess.mean())),
            number(result.predicted_noise_excess),
            number(result.predicted_excess),
            number(float(result.excess.mean())),
        ),
        md(
            "**More rows help twice**: with the share of rows at a tenth, σ and λ stay what the budget demands while the sum of losses "
            "shrinks, so the same noise moves the coefficients further."
        ),
    ]
    return [*said, *result.plan.notes, live.CONFIDENTIAL]


def study_observations(view: study.StudyView) -> list[str]:
    """What the study shows, how it differs from the published one, and the decisions behind it."""
    found = training.mean_scores(view.study.select(study.points()))
    said = []
    by_name = {entry.name: entry for entry in found if entry.score == view.score}
    tight, paper = (by_name.get(study.NAMES[key]) for key in ("tight", "published"))
    if view.table is not None:
        said += printed.verdicts(view.table, found, printed.names_at(view.study, study.NAMES))
    if tight is not None and paper is not None:
        pairs = [
            (epsilon, mean, paper.mean[list(paper.epsilon).index(epsilon)])
            for epsilon, mean in zip(tight.epsilon, tight.mean, strict=True)
            if epsilon in list(paper.epsilon)
        ]
        if pairs:
            epsilon, ours, published = max(pairs, key=lambda pair: abs(pair[1] - pair[2]))
            better = training.SCORES[view.score].higher_is_better == (ours > published)
            said.append(
                md(
                    "**The exact profile {} here**: where the two differ most, at "
                    "ε = {}, the tight calibration scores {}, the published settings "
                    "{} on the same splits.",
                    "pays off" if better else "does not pay off",
                    number(epsilon),
                    live.shown(view.score, ours),
                    live.shown(view.score, published),
                )
            )
    if study.NAMES["dishonest"] in view.study.learners:
        said.append(
            md(
                "**Dishonest tuning** reports the best of several learning rates and charges for one run: its ε is a claim, drawn dashed "
                "with ✕. **Honest tuning** pays for every rate tried, by the accountant of Papernot and Steinke."
            )
        )
    remarks = view.table.remarks if view.table is not None else ()
    return [*said, *remarks, *DECISIONS, live.CONFIDENTIAL]


def formula_cards(view: str, shown: live.LiveView | study.StudyView | None) -> list[FormulaCard]:
    """Cards of the learners on screen."""
    if view == "study":
        cards = [learner.card for learner in shown.study.learners.values()]
        return [card for place, card in enumerate(cards) if card not in cards[:place]]
    if view == "solvers":
        return [AMP.card, SAG_CARD]
    return [shown.learner.card]


def study_program(view: study.StudyView) -> str:
    """The lines of dpcore behind the study."""
    return "\n".join(
        [
            "import dpcore as dp",
            "published = dp.exhibits.training.published",
            'data = dp.data.synthetic_l(form="published")  # rows of norm 1 and a column of 1; form="own" for norm 1 in all',
            'learners = {"tight": dp.AMP("logistic", 1.0), "published": published.algorithm_1(),',
            '            "no privacy": dp.LEARNERS["non_private"]("logistic")}  # and published.dp_sgd("honest")',
            "study = dp.exhibits.training.LearnerComparison(",
            f"    data, learners, {view.study.epsilons!r}, {view.study.delta!r}, {view.study.repeats})",
            "points = {point.key: point for point in study.run()}",
            "dp.exhibits.training.mean_scores(study.select(points))  # mean and standard error by learner and ε",
        ]
    )


SOLVER_PROGRAM = "\n".join(
    [
        "import dpcore as dp",
        "training = dp.exhibits.training",
        "counts = list(training.solver_counts((100, 200, 500, 1000)))",
        '[(c.solver, c.n, c.evaluations) for c in counts], training.slope(counts, "sag")',
        "training.sag_bound((100, 200, 500, 1000))",
        "training.stopping_tradeoff((1e-6, 1e-3, 1e-1), epsilon=1.0)",
    ]
)
