"""Presets of the private-training page, and the decisions behind all that it shows."""

from dpcore.data.samples.published import INTERCEPT
from pages.components.say import md
from pages.your_data.private_training.learners import EPSILONS

_FIGURE = {
    "tr_view": "study", "tr_form": "published", "tr_learners": ["published", "honest", "dishonest"],
    "tr_grid": list(EPSILONS), "tr_repeats": 10, "tr_epochs": 60, "tr_delta": -5,
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
    "Race of solvers": {"tr_view": "solvers", "tr_passes": 10},
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
TUNING = md(
    "**Dishonest tuning** reports the best of several learning rates and charges for one run: its ε is a claim, drawn dashed "
    "with ✕. **Honest tuning** pays for every rate tried, by the accountant of Papernot and Steinke."
)
