"""The membership game: outputs with and without one record, and what is claimed about telling them apart."""

from dataclasses import dataclass, field

import numpy as np

from dpcore import validation
from dpcore.errors import ConvergenceError, UnsupportedError
from dpcore.mechanisms.pairs import Pair, Score
from dpcore.profiles import PrivacyProfile

_RATIO_DIGITS = 9


@dataclass(frozen=True)
class Game:
    """A pair of laws and the guarantee claimed for them.

    Parameters
    ----------
    name : what is attacked
    pair : Pair
    claim : PrivacyProfile
    note : one sentence on what the two data sets are
    """

    name: str
    pair: Pair
    claim: PrivacyProfile
    note: str = field(default="", compare=False)

    def play(self, present: bool, count: int, rng: np.random.Generator) -> np.ndarray:
        """Outputs of `count` runs, shape (count, d).

        Raises
        ------
        ConvergenceError
            If an output is not finite: nothing may be released then, so nothing is attacked.
        """
        count = validation.at_least_one("count", count)
        outputs = np.asarray((self.pair.present if present else self.pair.absent)(count, rng), dtype=float)
        outputs = outputs.reshape(count, -1)
        if not np.isfinite(outputs).all():
            raise ConvergenceError("a run gave an output that is not finite: the game cannot be scored")
        return outputs

    def score_by(self, kind: str) -> Score:
        """The score of an attacker that needs no training: "likelihood_ratio" or "threshold".

        Log ratios are rounded to 1e-9: beyond that they show the last bits of floating-point sums, which tell shifted samples
        from unshifted ones where the real numbers behind them do not (Laplace noise has long stretches of equal ratios).

        Raises
        ------
        UnsupportedError
            If the densities, or a statistic, are not known.
        """
        validation.choice("kind", kind, ("likelihood_ratio", "threshold"))
        found = self.pair.log_ratio if kind == "likelihood_ratio" else self.pair.statistic
        if found is None:
            raise UnsupportedError(
                f"{self.name} has no {kind.replace('_', ' ')} attack: its output density is not known; train a classifier"
                if kind == "likelihood_ratio"
                else f"{self.name} names no statistic to threshold: use the likelihood ratio or a classifier"
            )
        return found if kind == "threshold" else lambda outputs: np.round(found(outputs), _RATIO_DIGITS)
