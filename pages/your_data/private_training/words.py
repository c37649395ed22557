"""The decisions behind all that the private-training page shows."""

from dpcore.data.samples.published import INTERCEPT
from pages.components import say
from pages.components.say import md

_sentence = say.sentences(__file__)

DECISIONS = [
    _sentence("nothing_tuned_on_data"),
    _sentence("clipping"),
    _sentence("bias_column", INTERCEPT),
    md("**Rows are scaled one by one** to the public norm; scaling by statistics of the data would leak them."),
    md("**A λ that is too small is refused**, with the reason, where a bound needs λ > β."),
]
TUNING = _sentence("dishonest_tuning")
