"""What a release costs: its score beside that of the same model without noise, and of a model that knows no features."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.data.names import grouped, in_words
from dpcore.individual.analyses.accuracy import Accuracy

# The released score counts as no better than the trivial one unless it is better by this relative amount. Doubled, more
# releases are called useless.
_NO_BETTER = 0.01


@dataclass(frozen=True)
class Price:
    """Scores on some rows of the file as it is, with its targets as they are.

    Parameters
    ----------
    name : name of the score; a root mean squared error is in units of the target as in the file
    released : of the proposed release, its mean over releases, noise included
    unprotected : of the same model fitted to the file as it is, without noise
    trivial : of the best model that knows no features: the mean, or the most frequent level
    higher_is_better : whether a larger score is better
    share : whether the score is a share of the rows
    rows : number of the rows
    """

    name: str
    released: float
    unprotected: float
    trivial: float
    higher_is_better: bool
    share: bool
    rows: int

    @classmethod
    def of(cls, released: Accuracy, unprotected: Accuracy, trivial: float, rows: int) -> Price:
        """The scores of a release and of the unprotected model on the same rows."""
        return cls(
            released.name, released.value, unprotected.fit, trivial, released.higher_is_better, released.share, rows
        )

    @property
    def is_useful(self) -> bool:
        """Whether the release is better than the trivial model by more than one per cent of what that loses."""
        if self.higher_is_better:
            return 1 - self.released < (1 - self.trivial) * (1 - _NO_BETTER)
        return self.released < self.trivial * (1 - _NO_BETTER)

    def shown(self, score: float) -> str:
        """A score in words."""
        if self.share:
            return f"{100 * score:.1f} %"
        return grouped(float(f"{score:.3g}")) if 1e3 <= abs(score) < 1e9 else in_words(score)

    @property
    def said(self) -> str:
        """The scores in words: "RMSE 33 000: no better than the mean (32 900); without noise 28 100"."""
        knows_nothing = "the most frequent level" if self.share else "the mean"
        trivial = f"{knows_nothing} ({self.shown(self.trivial)})"
        beside = f", {trivial}" if self.is_useful else f": no better than {trivial}"
        beside = f", against {self.shown(self.trivial)} of {knows_nothing}" if self.is_useful else beside
        return f"{self.name} {self.shown(self.released)}{beside}; without privacy {self.shown(self.unprotected)}"
