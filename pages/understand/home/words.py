"""What the home page says: three ways in, and what to notice."""

from pages.components import say
from pages.components.say import md

_sentence = say.sentences(__file__)

WAYS_IN = (
    (
        "Learn",
        "Eight short lessons, from what ε means to how a claim is attacked: each asks one question, lets you guess, shows the "
        "curve, and leads on to the page that goes further.",
        "understand/learn",
        "Open the lessons",
    ),
    (
        "Your data",
        "Drop a CSV and see how exposed each row is to a released regression, and why. "
        "The file stays in this session's memory and can be forgotten at once.",
        "your_data/per_instance",
        "Open per-instance privacy",
    ),
    (
        "Verify",
        "Each number here can be computed a second way that shares no code with the first: quadrature of the densities, "
        "or refitting the model without the row.",
        "verify/cross_check",
        "Open the cross-check",
    ),
)

NOTES = (
    _sentence("the_curve_says_it"),
    _sentence("more_noise_widens_both"),
    md("**δ is a choice of where to look** at one and the same curve: moving it changes ε, not the mechanism."),
)
