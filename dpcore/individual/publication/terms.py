"""The budget of a publication, and the confidence of its statements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from dpcore import validation


@dataclass(frozen=True)
class Terms:
    """Budget and confidence of a publication.

    Parameters
    ----------
    epsilon, publication_delta : budget (ε > 0, δ)
    beta, alpha : probability that the bound of the rows does not hold, and that the band of the shares does not
    bins : number of counts, ≥ 2
    public_rows : an upper bound of the number of rows, if one is public anyway, for the worst case of the release
        itself

    Raises
    ------
    ParameterError
    """

    epsilon: float
    publication_delta: float = 1e-6
    beta: float = 0.05
    alpha: float = 0.05
    bins: int = 24
    public_rows: int | None = None

    def __post_init__(self) -> None:
        open_ = dict.fromkeys(("publication_delta", "beta", "alpha"), validation.open_probability)
        validation.set_checked(self, epsilon=validation.positive, bins=partial(validation.integer, minimum=2), **open_)
        self.check_rows(0)

    def check_rows(self, n_samples: int) -> None:
        """Refuse a public number of rows below the true one.

        Raises
        ------
        ParameterError
        """
        if self.public_rows is not None:
            validation.integer("public_rows", self.public_rows, minimum=n_samples)
