"""TensorFlow Privacy: the text of `compute_dp_sgd_privacy_statement`.

Shape: tensorflow_privacy/privacy/analysis/compute_dp_sgd_privacy_lib.py of TensorFlow Privacy 0.9.
"""

from __future__ import annotations

import math
import re
from typing import Any

from dpcore.accountants import compose
from dpcore.errors import DataError
from dpcore.mechanisms import Gaussian
from dpcore.runs.run import Reader, ReadRun, Sides, number_from, printed, remark
from dpcore.runs.sampling import ShuffledEpoch, poisson

_BEGINS = "DP-SGD performed over"
_FACTS = re.compile(
    rf"{_BEGINS} (?P<records>\S+) examples with (?P<batch>\S+) examples per iteration, noise multiplier (?P<noise>\S+) for "
    r"(?P<epochs>\S+) epochs (?P<micro>with|without) microbatching"
)
_NUMBERS = re.compile(
    r"Example-level DP with add-or-remove-one adjacency at delta = (?P<delta>\S+) computed with \w+ accounting: "
    r"Epsilon with each example occurring once per epoch: (?P<once>\S+) Epsilon assuming Poisson sampling \(\*\): (?P<poisson>\S+)"
)


def _text(content: Any) -> str:
    return " ".join(content.split()) if isinstance(content, str) else ""


def _read(content: Any) -> ReadRun:
    text = _text(content)
    facts, numbers = _FACTS.search(text), _NUMBERS.search(text)
    if facts is None or numbers is None:
        missing = "its first sentence, with noise and epochs," if facts is None else "the paragraph with both numbers"
        raise DataError(f"of the statement {missing} is missing or shortened: paste all that the function returns")
    records, batch, noise, epochs = (number_from(name, facts[name]) for name in ("records", "batch", "noise", "epochs"))
    delta = number_from("delta", numbers["delta"])
    if not 0 < batch <= records:
        raise DataError(f"a batch must have from 1 to all {records:g} examples, got {batch:g}")
    flags = [remark("once_an_epoch")]
    if facts["micro"] == "with":
        noise /= 2
        flags.append(remark("microbatches"))
    steps, rate = math.ceil(epochs * records / batch), batch / records
    low, high = compose(poisson(noise, rate, steps).above).epsilon(delta)
    assuming = number_from("epsilon", numbers["poisson"])
    flags.append(remark("assuming_poisson", claim=assuming, low=float(low), high=float(high)))
    whole_epochs = int(epochs)
    # With microbatches the attack on flipped means is proven for others without gradient alone.
    epoch = ShuffledEpoch(noise, math.ceil(records / batch), 0.0 if facts["micro"] == "with" else 1.0)
    below = ((epoch, whole_epochs),) if whole_epochs else ()
    attacked = float(compose(below).epsilon(delta)[0]) if below else 0.0
    if attacked > assuming:
        flags.append(remark("not_shuffled", claim=assuming, low=attacked))
    sides = Sides(((Gaussian(noise), math.ceil(epochs)),), below)
    if "User-level DP with" in text:
        flags.append(remark("user_level"))
    return ReadRun(sides, printed(numbers["once"], delta), tuple(flags), delta)


ENTRY = Reader("TensorFlow Privacy", lambda content: _BEGINS in _text(content), _read)
