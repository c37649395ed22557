"""What a curator answers before a release is proposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpcore import validation
from dpcore.data.domain import Ranges
from dpcore.errors import ParameterError


@dataclass(frozen=True)
class Answers:
    """The answers to three questions: who may appear more than once, what columns can be at all, what is wanted.

    Parameters
    ----------
    epsilon : nobody's ε may be larger, nats; None if an accuracy is asked for
    accuracy : the score that the released model must reach, in the units of `Proposal.score`; None if ε is given
    person : column whose equal cells belong to one person; "" if every row is another person
    ranges : public (low, high) of columns, known without the file; they override those of the data set's domain
    delta : δ in (0, 1)

    Raises
    ------
    ParameterError
        If not exactly one of `epsilon` and `accuracy` is given, or one of them is not > 0.
    """

    epsilon: float | None = None
    accuracy: float | None = None
    person: str = ""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=lambda: Ranges({}))
    delta: float = 1e-6

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.accuracy is None):
            raise ParameterError(
                "say which ε may be spent or which accuracy is needed: give epsilon or accuracy, not both"
            )
        for name in ("epsilon", "accuracy"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, validation.positive(name, getattr(self, name)))
        object.__setattr__(self, "ranges", Ranges(self.ranges))
        object.__setattr__(self, "delta", validation.open_probability("delta", self.delta))
