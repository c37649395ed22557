"""The decisions behind all that the private-training page shows."""

from dpcore.data.samples.published import INTERCEPT
from pages.components.say import md

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
