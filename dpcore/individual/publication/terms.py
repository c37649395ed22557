"""The budget of a publication, and the confidence of its statements."""

from __future__ import annotations

from dataclasses import dataclass

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
        for name in ("publication_delta", "beta", "alpha"):
            validation.open_probability(name, getattr(self, name))
        object.__setattr__(self, "epsilon", validation.positive("epsilon", self.epsilon))
        object.__setattr__(self, "bins", validation.integer("bins", self.bins, minimum=2))
        if self.public_rows is not None:
            object.__setattr__(self, "public_rows", validation.integer("public_rows", self.public_rows, minimum=0))

    def check_rows(self, n_samples: int) -> None:
        """Refuse a public number of rows below the true one.

        Raises
        ------
        ParameterError
        """
        if self.public_rows is not None:
            validation.integer("public_rows", self.public_rows, minimum=n_samples)
