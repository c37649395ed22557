"""A differentially private release of how exposed the rows are: its budget, its noise and its draw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from dpcore import validation
from dpcore.accountants import compose
from dpcore.calibration import calibrate
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.names import grouped
from dpcore.errors import CalibrationError, ParameterError, UnsupportedError, or_reason
from dpcore.individual.all_rows.assumptions import assumptions_of
from dpcore.individual.exposure import RecordBounds, analysis_of
from dpcore.individual.publication.noisy_fit import NoisyFit, Passes
from dpcore.individual.publication.row_bounds import DECADES, BoundByFit, BoundByLength, RowBound
from dpcore.individual.publication.statement import PublishedExposure, at_most
from dpcore.mechanisms import RELEASES, DiscreteGaussian, Gaussian
from dpcore.mechanisms.exact_noise import exact_discrete_noise
from dpcore.mechanisms.releases import GlmRelease
from dpcore.profiles import PrivacyProfile
from dpcore.references import formula_card

# Share of the budget (in squared shifts 1/σ²) that the noisy fit gets, as counts of many rows need little. Doubled,
# nothing is left for the counts.
_FIT_SHARE = 0.7
# Factor by which the noise is raised, and how often at most, until the composed curve meets the target. Doubled, it may
# be raised too far.
_LARGER, _TRIES = 1.002, 100

CARD = formula_card(__file__, "publication")


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


@dataclass(frozen=True)
class PublicationPlan:
    """What will be released at which noise, before any row is looked at.

    Parameters
    ----------
    mechanism : the release of the model
    domain : public bounds on a record
    delta : δ at which the ε of rows are taken
    terms : budget and confidence
    fit_sigma : noise of XᵀX and Xᵀy in units of their sensitivity; None if no fit is needed
    count_sigma : noise of each count
    """

    mechanism: GlmRelease
    domain: Domain
    delta: float
    terms: Terms
    fit_sigma: float | None
    count_sigma: float

    @property
    def beta(self) -> float:
        """Probability that the bound fails for some row; 0 if the bound contains no noise."""
        return 0.0 if self.fit_sigma is None else self.terms.beta

    @property
    def parts(self) -> list[PrivacyProfile]:
        """The mechanisms that are run, each once."""
        return _parts(self.fit_sigma, self.count_sigma)

    def bound(self, passes: Passes, rng: np.random.Generator) -> RowBound:
        """ε̄ as a function of a row; for linear regression, XᵀX and Xᵀy of the rows are released with noise first."""
        log_delta = float(np.log(self.delta))
        if self.fit_sigma is None:
            return BoundByLength(self.mechanism, log_delta, self.domain)
        lam = self.mechanism.lam
        fit = NoisyFit.draw(passes, self.domain, rng, sigma=self.fit_sigma, lam=lam, beta=self.beta)
        return BoundByFit(self.mechanism, log_delta, fit, self.cap)

    @cached_property
    def _worst(self) -> tuple[PrivacyProfile | None, str]:
        return or_reason(lambda: free_worst_case(self.mechanism, self.domain, self.terms.public_rows))

    @cached_property
    def cap(self) -> float:
        """ε of the worst case at δ, which no row exceeds, if it may be stated; else inf."""
        worst, _ = self._worst
        return float("inf") if worst is None else float(worst.epsilon(self.delta))

    def edges(self, bound: RowBound) -> np.ndarray:
        """0 and the upper ends of the bins, in equal ratios up to the largest value of the bound."""
        powers = np.linspace(-DECADES, 0.0, self.terms.bins)
        return np.concatenate([[0.0], bound.largest * 10**powers])

    def counts(self, bound: RowBound, edges: np.ndarray, passes: Passes) -> np.ndarray:
        """Number of rows whose bound is in each bin; these counts must not be published without noise."""

        def counted(X: np.ndarray, y: np.ndarray) -> np.ndarray:
            return np.bincount(np.searchsorted(edges[1:-1], bound.epsilon(X, y)), minlength=self.terms.bins)

        return passes.total(counted)

    def noisy_counts(self, bound: RowBound, edges: np.ndarray, passes: Passes, rng: np.random.Generator) -> np.ndarray:
        """The counts as they are published."""
        return self.counts(bound, edges, passes) + exact_discrete_noise(self.count_sigma, self.terms.bins, rng)

    def draw(self, passes: Passes, rng: int | np.random.Generator | None = None) -> tuple[PublishedExposure, RowBound]:
        """One publication, and the bound ε̄ it rests on: a function of a row and of what the budget has paid for.

        Every call spends the budget again. If ε̄(x, y) is told only to the row's own person, it costs nothing more:
        what all others are told depends on that row through the publication alone.

        Parameters
        ----------
        passes : passes over all rows
        rng : random generator, or a seed ≥ 0 (a known seed gives no privacy); by default numpy's, which is not a
            cryptographic one, seeded by the operating system

        Raises
        ------
        ParameterError
        """
        if rng is not None and not isinstance(rng, np.random.Generator):
            rng = validation.integer("rng", rng, minimum=0)
        rng, terms = np.random.default_rng(rng), self.terms
        bound = self.bound(passes, rng)
        edges = self.edges(bound)
        noisy = self.noisy_counts(bound, edges, passes, rng)
        published = PublishedExposure(
            described(self.mechanism), self.delta, tuple(map(float, edges)), tuple(map(int, noisy)), self.count_sigma,
            terms.epsilon, terms.publication_delta, self.beta, terms.alpha, bound.said, self.together, self.total,
        )  # fmt: skip
        return published, bound

    @cached_property
    def total(self) -> float | None:
        """ε at most of this publication and the release of the model together, at the sum of both δ; None if not stated."""
        worst, _ = self._worst
        if worst is None:
            return None
        epsilon = float(worst.epsilon(self.delta)) + self.terms.epsilon
        # Otherwise it is a supremum over several pairs, and adding up is no worse.
        if worst.symmetric or not self.mechanism.is_linear:
            delta = self.delta + self.terms.publication_delta
            epsilon = min(epsilon, float(compose([worst, *self.parts]).upper.epsilon(delta)))
        return epsilon

    @property
    def together(self) -> str:
        """What this publication and the release of the model cost together, as a sentence."""
        if self.total is None:
            return f"For the release of the model itself no worst case is stated: {self._worst[1]}."
        known = (
            "" if self.terms.public_rows is None else f" for any data of at most {grouped(self.terms.public_rows)} rows"
        )
        return (
            f"Together with the release of the model they cost at most ε = {at_most(self.total)} at "
            f"δ = {self.delta + self.terms.publication_delta:g}{known}, in the worst case."
        )


def publication_plan(
    domain: Domain | None, no_guarantee: str, mechanism: GlmRelease, delta: float, terms: Terms
) -> PublicationPlan:
    """Noise levels for a budget; no row is looked at.

    Parameters
    ----------
    domain : public domain in which all rows lie; None if none is stated
    no_guarantee : why these rows have no guarantee; "" if they have one
    mechanism, delta : as in `publish_exposure`
    terms : budget and confidence

    Raises
    ------
    ParameterError, UnsupportedError
    """
    delta = validation.open_probability("delta", delta)
    if domain is None:
        raise ParameterError(
            "publishing anything needs a public domain: make the data set with domain=dp.Domain(row_norm=…, target_bound=…)"
        )
    if no_guarantee:
        raise UnsupportedError(f"nothing about these rows can be published with a guarantee: {no_guarantee}")
    linear = _require(mechanism, domain, delta)
    return PublicationPlan(mechanism, domain, delta, terms, *_noise(terms.epsilon, terms.publication_delta, linear))


def publish_exposure(
    dataset: Dataset,
    mechanism: GlmRelease,
    delta: float = 1e-6,
    *,
    epsilon: float,
    rng: int | np.random.Generator | None = None,
    **terms: Any,
) -> PublishedExposure:
    """A differentially private release of the distribution of ε over the rows: counts of certified upper bounds.

    Every call draws new noise and spends the budget once more: keep what it returns.

    Parameters
    ----------
    dataset : data whose rows lie in a public domain; no part of this domain was read off the data
    mechanism : OutputPerturbation, PosteriorSampling or ObjectivePerturbation, with λ > 0
    delta : δ at which the ε of rows are taken
    epsilon : ε of the budget of the publication
    rng : random generator or seed, as in `PublicationPlan.draw`
    terms : publication_delta, beta, alpha, bins and public_rows, as in `Terms`

    Returns
    -------
    PublishedExposure
        Public: nothing in it costs more than the budget.

    Raises
    ------
    ParameterError, UnsupportedError, DataError

    References: redberg-wang-2021, canonne-kamath-steinke-2020.
    """
    return _plan_of(dataset, mechanism, delta, Terms(epsilon, **terms)).draw(
        Passes.in_memory(dataset.X, dataset.y), rng
    )[0]


def publish_with_own_bounds(
    dataset: Dataset, mechanism: GlmRelease, delta: float, terms: Terms, rng: int | np.random.Generator | None = None
) -> tuple[PublishedExposure, np.ndarray]:
    """`publish_exposure`, and ε̄ of every row (n_samples,); each may be told to its own person and to nobody else.

    Parameters
    ----------
    dataset, mechanism, delta, rng : as in `publish_exposure`
    terms : budget and confidence

    Raises
    ------
    ParameterError, UnsupportedError, DataError

    References: redberg-wang-2021.
    """
    plan = _plan_of(dataset, mechanism, delta, terms)
    published, bound = plan.draw(Passes.in_memory(dataset.X, dataset.y), rng)
    return published, bound.epsilon(dataset.X, dataset.y)


def _plan_of(dataset: Dataset, mechanism: GlmRelease, delta: float, terms: Terms) -> PublicationPlan:
    terms.check_rows(dataset.n_samples)
    if mechanism.loss is not None:
        mechanism.loss.check_target(dataset.y)
    return publication_plan(dataset.domain, assumptions_of(dataset).no_guarantee, mechanism, delta, terms)


def described(mechanism: GlmRelease) -> str:
    """A release in words: its name, its model and its parameters."""
    entry = RELEASES[mechanism.release]
    loss = mechanism.loss.title.lower() if mechanism.loss is not None else "a"
    clip = "" if mechanism.clip is None else f", gradients clipped to {mechanism.clip:g}"
    level = getattr(mechanism, entry.noise.name)
    return f"{entry.name.lower()} ({loss} loss{clip}, {entry.noise.symbol} = {level:g}, λ = {mechanism.lam:g})"


def worst_case_statement(
    mechanism: GlmRelease, domain: Domain, delta: float = 1e-6, public_rows: int | None = None
) -> str:
    """What may be said without spending any budget: the worst case, which does not depend on the data.

    Raises
    ------
    UnsupportedError
        If there is no worst case, or it needs the number of rows and that is not public.
    """
    epsilon = float(free_worst_case(mechanism, domain, public_rows).epsilon(delta))
    rows = "" if public_rows is None else f" of at most {grouped(public_rows)} rows"
    return (
        f"Whatever the data{rows} and whoever the person, the release, {described(mechanism)}, is (ε, δ)-differentially private with "
        f"ε = {at_most(epsilon)} at δ = {delta:g} for records with ‖x‖ ≤ {domain.row_norm:g} and |y| ≤ {domain.target_bound:g}. "
        "This does not depend on the data and costs nothing to say."
    )


def free_worst_case(mechanism: GlmRelease, domain: Domain, public_rows: int | None = None) -> PrivacyProfile:
    """The guarantee of the release itself, which costs nothing to state.

    Raises
    ------
    UnsupportedError
        If there is none, or it needs the number of rows and that is not public.
    """
    if mechanism.is_linear and public_rows is None:
        raise UnsupportedError("in linear regression it depends on the number of rows, which is not stated as public")
    return mechanism.worst_case(domain, public_rows or 0)


def _require(mechanism: GlmRelease, domain: Domain, delta: float) -> bool:
    """Whether the model is linear regression; a release for which no bound is known is refused."""
    if mechanism.lam == 0:
        raise UnsupportedError(
            "without regularisation (lam = 0) no bound of ε holds for one row alone: publish it for lam > 0"
        )
    if mechanism.loss is None:
        raise ParameterError("the release names no model: give loss='logistic' or another")
    if not mechanism.is_linear:
        mechanism.worst_of_record(domain)
        return False
    analysis = analysis_of(mechanism)
    analysis.largest_epsilon(mechanism, RecordBounds(*np.zeros((4, 1))), float(np.log(delta)))
    return True


def _parts(fit_sigma: float | None, count_sigma: float) -> list[PrivacyProfile]:
    fit = [] if fit_sigma is None else [Gaussian(fit_sigma, 1.0)]
    return [*fit, DiscreteGaussian(count_sigma)]


def _noise(epsilon: float, delta: float, with_fit: bool) -> tuple[float | None, float]:
    """Noise of the fit and of the counts that together meet the budget.

    Raises
    ------
    CalibrationError
    """
    if not with_fit:
        return None, _rounded(calibrate(DiscreteGaussian, epsilon, delta))
    total = calibrate(lambda sigma: Gaussian(sigma, 1.0), epsilon, delta)
    for _ in range(_TRIES):
        fit, count = total / np.sqrt(_FIT_SHARE), _rounded(total / np.sqrt(1 - _FIT_SHARE))
        if compose(_parts(fit, count)).upper.epsilon(delta) <= epsilon:
            return float(fit), count
        total *= _LARGER
    raise CalibrationError(f"no noise was found that meets ({epsilon:g}, {delta:g}): state another budget")


def _rounded(sigma: float) -> float:
    """σ rounded up to a multiple of 1/64, so that its square is a short fraction."""
    return float(np.ceil(sigma * 64) / 64)
