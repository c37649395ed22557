"""The base class of mechanisms whose guarantee is the curve of an analysis chosen by name."""

from abc import abstractmethod
from typing import Any

import numpy as np

from dpcore.profiles import PrivacyProfile


class Analysed(PrivacyProfile):
    """A mechanism with the profile `curve`, that of the analysis chosen."""

    @property
    @abstractmethod
    def curve(self) -> PrivacyProfile:
        """The profile of the chosen analysis."""

    @property
    def symmetric(self) -> bool:
        """Whether both directions have the same curve."""
        return self.curve.symmetric

    @property
    def evaluation_error(self) -> float:
        """Relative error of δ as computed."""
        return self.curve.evaluation_error

    def says_something(self, epsilon: Any) -> np.ndarray:
        """Where the chosen analysis gives δ < 1 (elsewhere it is silent and nothing should be drawn)."""
        return np.asarray(self.log_delta(epsilon)) < 0

    def _log_delta(self, epsilon: np.ndarray, direction: str) -> np.ndarray:
        return self.curve._log_delta(epsilon, direction)

    def _inverse(self, excess: Any, targets: tuple[np.ndarray, ...], direction: str) -> np.ndarray:
        return self.curve._inverse(excess, targets, direction)
