"""Losses for the exponential mechanism in one and two dimensions, tabulated once and reweighted for any parameters."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize

from dpcore import validation
from dpcore.glm.losses import LOSSES
from dpcore.learners.exponential import mean_loss_target
from dpcore.learners.finite_class import FiniteClass
from dpcore.mechanisms import RegularizedExponential
from dpcore.mechanisms.regularized_exponential import gaussian_shift
from dpcore.mechanisms.selection import SELECTION_MECHANISMS, excess_errors, selection_probabilities
from dpcore.numerics import panel_rule
from dpcore.profiles import Bound
from dpcore.profiles.curves import Curve
from dpcore.sampling import Chains, Target, certified_steps, mala, proximal_sampler

_RARE = 1e-9  # a probability up to this one is not used as the denominator of a ratio

WIDTH = 0.05  # half-width of the rounded tip of |x − z|; it is rounded so that the slope has a derivative
_PANELS, _SIDE = 500, 151  # panels of the quadrature on the line, and points per axis of the grid in the plane
_NODES = 6  # Gauss–Legendre nodes on each panel of the line


@dataclass(frozen=True, eq=False)
class Landscape:
    """Mean loss f of invented data, tabulated on a ball of radius 1. Each record's loss is convex and 1-Lipschitz.

    Parameters
    ----------
    points : array (n_points, dimension) where f is known: on a line (a median) or in a plane (a classifier)
    volume : array (n_points,), quadrature weights
    loss, neighbour : arrays (n_points,), f before and after one record is replaced
    minimum : min f over the ball
    records : array (n, …), the invented data
    """

    points: np.ndarray
    volume: np.ndarray
    loss: np.ndarray
    neighbour: np.ndarray
    minimum: float
    records: np.ndarray

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.records)

    @property
    def dimension(self) -> int:
        """Dimension of the parameter."""
        return self.points.shape[1]

    def weights(self, k: float, mu: float, *, neighbour: bool = False) -> np.ndarray:
        """Probability of each tabulated point under exp(−k(f + (μ/2)‖x‖²)), (n_points,)."""
        square = np.einsum("ij,ij->i", self.points, self.points)
        height = (self.neighbour if neighbour else self.loss) + 0.5 * mu * square
        mass = self.volume * np.exp(-k * (height - height.min()))
        return mass / mass.sum()

    def excess(self, k: float, mu: float) -> float:
        """Expected f above its minimum."""
        return float(self.weights(k, mu) @ self.loss) - self.minimum

    def pair_delta(self, k: float, mu: float, epsilon: float) -> float:
        """Exact δ(ε), by quadrature, between these data and those with one record replaced; the worse direction."""
        p, q = self.weights(k, mu), self.weights(k, mu, neighbour=True)
        ratio = math.exp(epsilon)
        return float(max(np.maximum(p - ratio * q, 0).sum(), np.maximum(q - ratio * p, 0).sum()))

    def pair_epsilon(self, k: float, mu: float, delta: float) -> float:
        """Smallest ε at which this pair's exact δ is at most the given one, nats."""
        if self.pair_delta(k, mu, 0.0) <= delta:
            return 0.0
        return float(optimize.brentq(lambda e: self.pair_delta(k, mu, e) - delta, 0.0, 4 * k / self.n + 1.0, xtol=1e-9))

    def draws(self, k: float, mu: float, count: int, seed: int) -> np.ndarray:
        """Draws (count, dimension) from the tabulated law; with the same seed they move continuously with k and μ."""
        rng = np.random.default_rng(seed)
        uniform, jitter = rng.random(count), rng.random((count, self.dimension)) - 0.5
        chosen = np.searchsorted(np.cumsum(self.weights(k, mu))[:-1], uniform)
        spread = self.volume[chosen, None] ** (1 / self.dimension)
        return self.points[chosen] + jitter * spread

    def worse(self, x: np.ndarray | None = None) -> Curve:
        """How much worse than the best an answer on the line is: f above its minimum at the points x, by default on a grid."""
        x = self.points[::8, 0] if x is None else x
        return Curve("mean loss", x, np.interp(x, self.points[:, 0], self.loss) - self.minimum)

    def density_curve(self, name: str, k: float, mu: float, *, neighbour: bool = False) -> Curve:
        """Density on the line, at every eighth tabulated point."""
        density = self.weights(k, mu, neighbour=neighbour) / self.volume
        return Curve(name, self.points[::8, 0], density[::8])

    def picture(self, k: float, mu: float) -> tuple[np.ndarray, np.ndarray]:
        """Every second point of an axis, and the density on the square around the disc, nan outside the disc.

        The entry [j, i] of the density is at (axis[i], axis[j]).
        """
        axis = (2 * (np.arange(_SIDE) + 0.5) / _SIDE) - 1
        density = np.full((_SIDE, _SIDE), np.nan)
        column, row = (np.rint((self.points[:, j] + 1) * _SIDE / 2 - 0.5).astype(int) for j in (0, 1))
        density[row, column] = self.weights(k, mu) / self.volume
        return axis[::2], density[::2, ::2]

    def target(self, k: float, mu: float) -> Target:
        """The density exp(−k(f + (μ/2)‖x‖²)) as a target of a sampler."""
        if self.dimension == 2:
            X, y = self.records[:, :2], self.records[:, 2]
            return mean_loss_target("logistic", X, y, k=k, mu=mu, radius=1.0, lipschitz=1.0, smoothness=0.25)
        z = self.records

        def gradient(x: np.ndarray) -> np.ndarray:
            return k * (np.clip((x - z) / WIDTH, -1, 1).mean(axis=1, keepdims=True) + mu * x)

        def potential(x: np.ndarray) -> np.ndarray:
            return k * (_rounded(x - z).mean(axis=1) + mu / 2 * x[:, 0] ** 2)

        return Target(potential, gradient, 1, k * mu, 1.0, k / WIDTH, k)


@dataclass(frozen=True)
class SamplerCheck:
    """Draws of one sampler compared with the tabulated law, at the worst coordinate.

    `distance` is the Kolmogorov–Smirnov distance.
    """

    name: str
    rhat: float
    effective: float
    acceptance: float
    distance: float
    noise: float
    total_variation: float
    warning: str
    histogram: Curve


def check_samplers(landscape: Landscape, k: float, mu: float, *, steps: int, seed: int) -> list[SamplerCheck]:
    """Run the proximal sampler and MALA, 16 chains each, and compare their second halves with the tabulated law.

    `noise` is the distance that the same effective number of independent draws exceeds once in twenty times.

    Parameters
    ----------
    landscape : tabulated losses
    k : inverse temperature
    mu : strength of the regulariser
    steps : steps of each chain
    seed : seed of the generator
    """
    target = landscape.target(k, mu)
    weights = landscape.weights(k, mu)
    found = []
    for name, run in (("Proximal sampler", proximal_sampler), ("MALA", mala)):
        chains = run(target, chains=16, steps=steps, rng=np.random.default_rng(seed))
        kept = Chains(chains.draws[:, steps // 2 :], chains.acceptance, chains.total_variation)
        distances = []
        for j in range(landscape.dimension):
            order = np.argsort(landscape.points[:, j], kind="stable")
            draws = np.sort(kept.draws[:, :, j], axis=None)
            below = np.searchsorted(landscape.points[order, j], draws, side="right")
            truth = np.concatenate([[0.0], np.cumsum(weights[order])])[below]
            distances.append(float(np.abs(truth - (np.arange(len(draws)) + 0.5) / len(draws)).max()))
        effective = float(kept.effective.min())
        found.append(
            SamplerCheck(
                name, float(kept.rhat.max()), effective, chains.acceptance, max(distances), 1.36 / math.sqrt(effective),
                chains.total_variation, kept.warning, _histogram(name, kept.draws[:, :, 0].ravel()),
            )
        )  # fmt: skip
    return found


def marginal(landscape: Landscape, k: float, mu: float) -> Curve:
    """Exact density of the first coordinate, averaged over each of 50 bins of [−1, 1]."""
    return _histogram("exact", landscape.points[:, 0], landscape.weights(k, mu))


def _histogram(name: str, values: np.ndarray, weights: np.ndarray | None = None) -> Curve:
    heights, edges = np.histogram(values, bins=50, range=(-1, 1), weights=weights, density=True)
    return Curve(name, (edges[:-1] + edges[1:]) / 2, heights, Bound.EXACT if weights is not None else Bound.ESTIMATE)


def line_landscape(n: int, centre: float, spread: float) -> Landscape:
    """Private median of n invented values in [−1, 1]. In the neighbouring data the largest value is −1 instead.

    Parameters
    ----------
    n : int ≥ 2
    centre : mean of the values before they are clipped
    spread : their standard deviation > 0 before they are clipped
    """
    n, spread = validation.integer("n", n, minimum=2), validation.positive("spread", spread)
    rng = np.random.default_rng(0)
    z = np.sort(np.clip(validation.real("centre", centre) + spread * rng.standard_normal(n), -1, 1))
    edges = np.linspace(-1, 1, _PANELS + 1)
    x, volume = (part.ravel() for part in panel_rule(edges, _NODES))
    loss = np.array([_rounded(part[:, None] - z).mean(axis=1) for part in np.array_split(x, 10)]).ravel()
    moved = loss + (_rounded(x + 1) - _rounded(x - z[-1])) / n
    lowest = optimize.minimize_scalar(
        lambda at: float(_rounded(at - z).mean()), bounds=(-1, 1), method="bounded", options={"xatol": 1e-10}
    )
    return Landscape(x[:, None], volume, loss, moved, min(float(lowest.fun), float(loss.min())), z)


def plane_landscape(n: int, noise: float) -> Landscape:
    """Private logistic classifier of n invented records in the unit disc. The neighbouring data have one label flipped.

    Parameters
    ----------
    n : int ≥ 2
    noise : share of labels flipped at random, in [0, 1]
    """
    n, noise = validation.integer("n", n, minimum=2), validation.probability("noise", noise)
    rng = np.random.default_rng(0)
    angle, reach = 2 * np.pi * rng.random(n), np.sqrt(rng.random(n))
    X = np.column_stack([reach * np.cos(angle), reach * np.sin(angle)])
    y = np.where(X @ [0.8, 0.6] > 0, 1.0, -1.0) * np.where(rng.random(n) < noise, -1.0, 1.0)
    axis = (2 * (np.arange(_SIDE) + 0.5) / _SIDE) - 1
    grid = np.column_stack([np.tile(axis, _SIDE), np.repeat(axis, _SIDE)])
    grid = grid[np.einsum("ij,ij->i", grid, grid) <= 1]
    logistic = LOSSES["logistic"]
    loss = np.concatenate([logistic.value(part @ X.T, y).mean(axis=1) for part in np.array_split(grid, 20)])
    last = int(np.argmax(np.einsum("ij,ij->i", X, X)))
    moved = loss + y[last] * (grid @ X[last]) / n  # log(1 + e^m) − log(1 + e^−m) = m
    found = Landscape(grid, np.full(len(grid), (2 / _SIDE) ** 2), loss, moved, 0.0, np.column_stack([X, y]))
    best = found.target(1.0, 1e-9).optimum()
    minimum = float(logistic.value(X @ best, y).mean())
    return replace(found, minimum=min(minimum, float(loss.min())))


def pure_temperature(epsilon: float, n: int) -> float:
    """k = εn/(4GB) of the unregularised mechanism that is ε-DP: losses change by a function of range 2G·2B/n."""
    return epsilon * n / 4


def landscape_risks(landscape: Landscape, delta: float, epsilons: np.ndarray) -> list[Curve]:
    """Expected excess risk of both mechanisms by quadrature, their bounds, and the two rates, against ε."""
    n, d = landscape.n, landscape.dimension
    epsilons = np.asarray(epsilons, dtype=float)
    found = np.empty((6, len(epsilons)))
    for i, epsilon in enumerate(epsilons):
        best = RegularizedExponential.calibrated(epsilon, delta, n=n, dimension=d, lipschitz=1.0, radius=1.0)
        k = pure_temperature(epsilon, n)
        found[:, i] = (
            landscape.excess(best.k, best.mu), best.excess_risk(d, 1.0), landscape.excess(k, 0.0), d / k,
            2 * d / (n * epsilon), 2 * math.sqrt(d * math.log(1 / delta)) / (n * epsilon),
        )  # fmt: skip
    told = (
        ("Regularised, measured", Bound.EXACT, "quadrature"), ("Regularised, bound", Bound.UPPER, "d/k + μB²/2"),
        ("Pure, measured", Bound.EXACT, "quadrature"), ("Pure, bound", Bound.UPPER, "d/k"),
        ("Rate, pure", Bound.ESTIMATE, "MDd/(nε)"), ("Rate, (ε, δ)", Bound.ESTIMATE, "MD√(d log 1/δ)/(nε)"),
    )  # fmt: skip
    return [Curve(name, epsilons, values, kind, note) for values, (name, kind, note) in zip(found, told, strict=True)]


def dimension_curves(epsilon: float, delta: float, n: int, dimensions: np.ndarray) -> list[Curve]:
    """Bounds on the expected excess risk of both mechanisms against the dimension, G = B = 1."""
    shift = gaussian_shift(epsilon, delta)
    dimensions = np.asarray(dimensions, dtype=float)
    return [
        Curve("Regularised, bound", dimensions, 2 * math.sqrt(2) * np.sqrt(dimensions) / (n * shift), Bound.UPPER),
        Curve("Pure, bound", dimensions, dimensions / pure_temperature(epsilon, n), Bound.UPPER),
    ]


@dataclass(frozen=True, eq=False)
class FiniteLandscape:
    """Thresholds on a grid, their errors, and each mechanism's probabilities of selection, (n_hypotheses,) each."""

    thresholds: np.ndarray
    errors: np.ndarray
    laws: dict[str, np.ndarray]

    def excess(self, method: str) -> float:
        """Expected number of errors above that of the best threshold."""
        return excess_errors(self.errors, self.laws[method])

    def times_exponential(self, method: str) -> np.ndarray:
        """Probabilities of a mechanism as multiples of the exponential mechanism's; nan where the latter are ≤ 1e-9."""
        reference = self.laws["exponential"]
        return np.divide(self.laws[method], reference, out=np.full(reference.shape, math.nan), where=reference > _RARE)


def finite_landscape(n: int, points: int, noise: float, epsilon: float, seed: int = 0) -> FiniteLandscape:
    """n invented labels of a threshold at 0.2, a share of them flipped, learned by three private selections.

    Parameters
    ----------
    n, points : int ≥ 1
    noise : share of labels flipped, in [0, 1]
    epsilon : float > 0, nats
    seed : int ≥ 0
    """
    n, noise = validation.at_least_one("n", n), validation.probability("noise", noise)
    rng = np.random.default_rng(validation.integer("seed", seed, minimum=0))
    x = rng.uniform(-1, 1, n)
    y = np.where(x >= 0.2, 1.0, -1.0) * np.where(rng.random(n) < noise, -1.0, 1.0)
    hypotheses = FiniteClass.of("thresholds", 1, points, 1.0)
    errors = hypotheses.errors(x[:, None], y)
    laws = {method: selection_probabilities(errors, epsilon, method) for method in SELECTION_MECHANISMS}
    return FiniteLandscape(hypotheses.parameters[:, 1], errors, laws)


def _rounded(gap: np.ndarray) -> np.ndarray:
    """|gap| with its tip rounded within ±WIDTH; convex, slope at most 1."""
    far = np.abs(gap)
    return np.where(far < WIDTH, far**2 / (2 * WIDTH), far - WIDTH / 2)


def rain_heights(count: int) -> np.ndarray:
    """The height of each draw in the strip above the density, in (0, 1), from a sequence that fills it evenly."""
    return np.mod(0.5 + 0.6180339887498949 * np.arange(validation.at_least_one("count", count)), 1.0)


def steps_needed(landscape: Landscape, k: float, mu: float, epsilon: float, delta: float) -> int:
    """Proximal steps after which the error of the sampler adds at most a thousandth of δ.

    Parameters
    ----------
    landscape : tabulated losses
    k, mu : inverse temperature and strength of the regulariser
    epsilon, delta : the guarantee of exact sampling
    """
    return certified_steps(landscape.target(k, mu), 1e-3 * delta / (1 + math.exp(epsilon)))
