"""One pipeline run k times, for many k from one grid: its loss to about four digits, for pictures, without a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from dpcore.accountants.parts import Parts
from dpcore.accountants.pld.grid import aligned_step, offset_of
from dpcore.accountants.pld.loss_law import LossLaw, log_any
from dpcore.accountants.pld.masses import chord_masses, nonnegative
from dpcore.numerics import log_sum

SIZE = 2**16
_NODES, _SLOW_NODES = 2**13, 2**11  # of one mechanism's loss
_TAIL = -24.0  # log of the probability that may lie beyond either end of the window
_LEFT, _RIGHT = np.log(1e-12), np.log(1e-17)  # of one loss, and of a thousandth of the smallest δ asked for
_TILTS = np.geomspace(1e-4, 1e5, 109)
_ROUND_OFF = 1e-14
_LARGE, _TRIES = 1e-7, 12  # δ that needs no tilt; tilts tried
_OVERFLOW, _AHEAD = 350.0, 300.0
_FEW, _LUMP = 16, 1e-9  # a loss with this many values of this probability at most is discrete
_ALONE = 3  # a loss that occurs more often blurs by itself
_BESIDE, _ATOM = 3, 6.0  # a mass this many times that of the nodes beside it is an atom
_ON_NODE = 1e-6  # of a step: a loss this near to a node lies on it
_BAND = 0.25  # phase per node beyond which the grid's cumulants are no longer mended


@dataclass(frozen=True)
class Cumulants:
    """log E[e^{θω}], and mean and variance of ω weighted by e^{θω}."""

    log_total: float
    mean: float
    variance: float

    @classmethod
    def of(cls, x: np.ndarray, mass: np.ndarray, tilt: float) -> Cumulants:
        """Of a law with these masses."""
        x, mass = x[mass > 0], mass[mass > 0]
        exponent = tilt * x + np.log(mass)
        weight = np.exp(exponent - exponent.max())
        total = weight.sum()
        mean = float(weight @ x / total)
        return cls(float(exponent.max() + np.log(total)), mean, float(weight @ (x - mean) ** 2 / total))


@dataclass(frozen=True)
class SampledLoss:
    """One loss on nodes of its own, by chords of its curve, and on every other of them.

    Parameters
    ----------
    count : how often it occurs in the pipeline
    nodes : losses, an odd number of them, closer together around 0
    mass, sparse : P-masses on all nodes, and those of the chords between every other
    smooth : whether its curve bends between the nodes
    infinite : probability of an infinite loss
    """

    count: int
    nodes: np.ndarray
    mass: np.ndarray
    sparse: np.ndarray
    smooth: bool
    infinite: float

    @classmethod
    def of(cls, law: LossLaw, count: int, least: float) -> SampledLoss:
        """Losses rarer than `least` are cut off."""
        x, log_h, log_mass = law.pilot
        mass = np.exp(log_mass)
        low = float(x[int(np.searchsorted(np.cumsum(mass), np.exp(_LEFT) * least))])
        seen = np.flatnonzero(np.exp(log_h) > max(np.exp(_RIGHT) * least, _ROUND_OFF * law.infinite))
        high = float(x[min(seen[-1] + 1 if seen.size else 0, x.size - 1)])
        if law.lattice is not None:
            first, last = int(np.floor(low / law.lattice.step)) - 2, int(np.ceil(high / law.lattice.step)) + 2
            nodes = law.lattice.step * (law.lattice.offset % 1 + np.arange(first, last + 1 + (last - first) % 2))
        else:
            cells = _SLOW_NODES if law.mechanism.is_slow else _NODES
            shape = float(np.sqrt(Cumulants.of(x, mass, 0.0).variance))
            ends = np.arcsinh(np.array([min(low, -0.1 * high), high]) / shape)
            nodes = shape * np.sinh(np.linspace(ends[0], ends[1], cells + 1))
        h, k = law.curves(nodes)
        mass = nonnegative(nodes, chord_masses(nodes, h, k))
        sparse = np.zeros(nodes.size)
        sparse[::2] = nonnegative(nodes[::2], chord_masses(nodes[::2], h[::2], k[::2]))
        smooth = law.lattice is None and bool(np.count_nonzero(mass > _LUMP) > _FEW)
        return cls(count, nodes, mass, sparse, smooth, law.infinite)

    def cumulants(self, tilt: float) -> Cumulants:
        """Of the loss itself: chords add a share of the distance squared, which two grids tell."""
        fine = Cumulants.of(self.nodes, self.mass, tilt)
        if not self.smooth:
            return fine
        values = zip(vars(fine).values(), vars(Cumulants.of(self.nodes, self.sparse, tilt)).values(), strict=True)
        return Cumulants(*((4 * one - other) / 3 for one, other in values))


@dataclass(frozen=True)
class Spectrum:
    """log of the pipeline's transform under one tilt, around `centre`, and its cumulants."""

    log_values: np.ndarray
    centre: float
    cumulants: Cumulants


class RepeatedLoss:
    r"""The loss Σω of a pipeline run k times, k ≤ `most`, in one direction.

    .. math:: \log φ_k(t) = k \sum_j c_j \log φ_j(t), \quad
              \log φ_j(t) = \log \hat φ_j(t) + Δκ_j + i t\, Δm_j − \tfrac{t²}{2} Δv_j

    with φ̂ the transform of a law on a grid and Δκ, Δm, Δv what the grid has changed of its first three cumulants.

    Parameters
    ----------
    parts : ((mechanism, count), …)
    direction : "add" or "remove"
    most : largest k
    """

    def __init__(self, parts: Parts, direction: str, most: int) -> None:
        self.laws = tuple((LossLaw(mechanism, direction), count) for mechanism, count in parts)
        self.most = most

    @cached_property
    def step(self) -> float:
        """Distance between nodes: the window holds k = `most`."""
        spans = [high - low for low, high in (self._reach(k) for k in (1, self.most))]
        return aligned_step(self.laws, max(*spans, 1e-9) * 1.1 / SIZE)

    def _reach(self, k: int) -> tuple[float, float]:
        """Losses beyond which the pipeline run k times has almost no probability, by Chernoff's bound on the pilots."""
        pilots = [(law.pilot[0], np.exp(law.pilot[2]), k * count) for law, count in self.laws]
        shape = [(Cumulants.of(x, mass, 0.0).variance, count) for x, mass, count in pilots]
        exponents = np.geomspace(1e-3, 1e3, 121) / np.sqrt(sum(count * variance for variance, count in shape) + 1e-30)
        ends = []
        for sign in (-1, 1):
            total = np.sum([count * log_sum(sign * exponents[:, None] * x, mass) for x, mass, count in pilots], axis=0)
            chernoff = float(((total - _TAIL) / exponents).min())
            ends.append(min(chernoff, sum(count * float((sign * x[mass > 0]).max()) for x, mass, count in pilots)))
        return -ends[0], ends[1]

    @cached_property
    def losses(self) -> list[SampledLoss]:
        """Every mechanism's loss."""
        total = self.most * sum(count for _, count in self.laws)
        return [SampledLoss.of(law, count, 1 / total) for law, count in self.laws]

    def spectrum(self, tilt: float) -> Spectrum:
        """Of the pipeline run once, its law weighted by e^{tilt·ω}."""
        t = 2 * np.pi * np.arange(SIZE // 2 + 1) / (SIZE * self.step)
        log_values, centre, sums = np.zeros(t.size, dtype=complex), 0.0, np.zeros(3)
        for loss, (law, _) in zip(self.losses, self.laws, strict=True):
            true = loss.cumulants(tilt)
            offset = offset_of(law, self.step)
            middle = int(np.rint((true.mean - offset) / self.step))
            log_one, grid = self._transform(loss, tilt, offset, middle)
            fading = np.exp(-((t * self.step / _BAND) ** 4))
            log_one += fading * (1j * t * (true.mean - grid.mean) - 0.5 * t**2 * (true.variance - grid.variance))
            log_values += loss.count * np.where(log_one.real > 0, 1j * log_one.imag, log_one)
            centre += loss.count * (offset + self.step * middle)
            sums += loss.count * np.array([true.log_total, true.mean, true.variance])
        return Spectrum(log_values, centre, Cumulants(*sums.tolist()))

    def _transform(self, loss: SampledLoss, tilt: float, offset: float, middle: int) -> tuple[np.ndarray, Cumulants]:
        """log of the transform of a tilted loss moved to the grid around node `middle`, and its cumulants there."""
        exponent = np.log(np.maximum(loss.mass, 1e-300)) + tilt * loss.nodes
        weight = np.exp(exponent - exponent.max()) * (loss.mass > 0)
        weight = weight / weight.sum()
        index, masses = _moved(loss.nodes, weight, offset, self.step, loss.smooth and loss.count <= _ALONE)
        folded = np.bincount(np.mod(index - middle, SIZE), masses, SIZE)
        return np.log(fft.rfft(folded) + 1e-300), Cumulants.of(offset + self.step * index, masses, 0.0)

    @cached_property
    def plain(self) -> Spectrum:
        """Without a tilt."""
        return self.spectrum(0.0)

    def law(self, k: int, spectrum: Spectrum | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Losses and masses of the pipeline run k times, (SIZE,) each, around the mean; finite losses add up to 1."""
        spectrum = spectrum or self.plain
        low, high = self._reach(k) if spectrum is self.plain else (2 * (k * spectrum.cumulants.mean,))
        first = int(np.rint((0.5 * (low + high) - k * spectrum.centre) / self.step)) - SIZE // 2
        masses = np.roll(fft.irfft(np.exp(k * spectrum.log_values), SIZE), -(first % SIZE))
        return k * spectrum.centre + self.step * (first + np.arange(SIZE)), masses

    def infinite(self, k: int) -> float:
        """P[Σω = ∞]."""
        return float(np.exp(log_any((loss.infinite, k * loss.count) for loss in self.losses)))

    @cached_property
    def _moments(self) -> np.ndarray:
        """log E[e^{θω}] of the pipeline run once, for each of `_TILTS`."""
        return np.sum([loss.count * log_sum(_TILTS[:, None] * loss.nodes, loss.mass) for loss in self.losses], axis=0)

    def epsilon(self, k: int, delta: float) -> float:
        """Smallest ε ≥ 0 with δ(ε) ≤ δ after k runs; inf where there is none."""
        rest = delta - self.infinite(k)
        if rest <= 0:
            return np.inf
        if rest >= _LARGE:
            return self._epsilon(k, rest, 0.0, self.plain)[0]
        reach = (k * self._moments - np.log(rest) - np.log(_TILTS * (1 + _TILTS))) / _TILTS
        tilt = float(_TILTS[int(np.argmin(np.where(np.isfinite(reach), reach, np.inf)))])
        for _ in range(_TRIES):
            found, inside = self._epsilon(k, rest, tilt, self.spectrum(tilt))
            if inside:
                break
            tilt /= 2  # a rare large loss decides, far beyond ε
        return found

    def _epsilon(self, k: int, rest: float, tilt: float, spectrum: Spectrum) -> tuple[float, bool]:
        """Where the curve of the finite losses meets `rest`, and whether the law under this tilt reaches that far down."""
        x, mass = self.law(k, spectrum)
        middle = k * spectrum.cumulants.mean
        kept = tilt * (x - middle) > -_OVERFLOW
        x, mass = x[kept], mass[kept]
        weight = mass * np.exp(-tilt * (x - middle))
        beyond = np.cumsum(weight[::-1])[::-1]
        log_target = np.log(rest) - k * spectrum.cumulants.log_total + tilt * middle
        target = float(np.exp(np.clip(log_target, -_OVERFLOW, _OVERFLOW)))
        more = np.flatnonzero(beyond > target)
        if more.size == 0:
            return max(float(x[0]), 0.0), bool(x[0] <= 0)
        last, start = x[more[-1]], int(np.searchsorted(x, x[more[-1]] - _AHEAD))
        x, weight, beyond = x[start:] - last, weight[start:], beyond[start:]
        other = np.cumsum((weight * np.exp(-x))[::-1])[::-1]
        here = x <= 0
        above = np.flatnonzero(beyond[here] - np.exp(x[here]) * other[here] > target)
        node = above[-1] + 1 if above.size else 0
        found = np.log((beyond[node] - target) / other[node]) if beyond[node] > target and other[node] > 0 else x[node]
        return min(max(float(found + last), 0.0), k * self._top), bool(node > 0 or x[0] + last <= 0)

    @cached_property
    def _top(self) -> float:
        """Largest loss of the pipeline run once."""
        return float(sum(count * law.top for law, count in self.laws))


def _moved(x: np.ndarray, mass: np.ndarray, offset: float, step: float, smooth: bool) -> tuple[np.ndarray, np.ndarray]:
    """Indices and masses on the grid offset + step·index of a law on other nodes, its total and mean kept.

    Where the nodes of a smooth law are further apart than the grid's, they stand for a density, except for atoms.
    """
    if smooth and np.diff(x).max() > step:
        level = np.median(
            np.lib.stride_tricks.sliding_window_view(np.pad(mass, _BESIDE, "edge"), 2 * _BESIDE + 1), axis=1
        )
        level = np.where(mass > _ATOM * level, level, mass)
        level[[0, -1]] = 0.0
        index = np.arange(int(np.ceil((x[0] - offset) / step)), int(np.floor((x[-1] - offset) / step)) + 1)
        density = np.interp(offset + step * index, x[1:-1], level[1:-1] / (0.5 * (x[2:] - x[:-2])))
        inner = density * level.sum() / max(density.sum(), 1e-300)
        places, atoms = _moved(x, mass - level, offset, step, False)
        return np.concatenate([index, places]), np.concatenate([inner, atoms])
    place = (x - offset) / step
    node = np.floor(place + _ON_NODE).astype(np.int64)
    share = np.clip(place - node, 0.0, 1.0)
    return np.concatenate([node, node + 1]), np.concatenate([mass * (1 - share), mass * share])
