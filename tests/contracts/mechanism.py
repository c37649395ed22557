"""What every registered mechanism must carry beside its profile: laws that attain it, noise that scales, controls."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dpcore.audit import cross_check
from dpcore.mechanisms import MechanismEntry
from dpcore.profiles import PrivacyProfile

EPSILONS = (0.0, 0.3, 0.9)
SHARES = (0.25, 0.9, 3.0)
DRAWS = 4000


def check_the_pair_attains_the_profile(entry: MechanismEntry) -> None:
    """By quadrature or summation of the laws alone, in both directions."""
    for epsilon in EPSILONS:
        for check in cross_check.profile_checks(entry.default(), epsilon):
            assert check.difference < 1e-8, check


def check_the_pair_is_one_law(entry: MechanismEntry) -> None:
    """Draws, log ratio and densities speak of the same two laws."""
    pair, rng = entry.default().pair(), np.random.default_rng(1)
    known = pair.densities
    outputs = [side(DRAWS, rng) for side in (pair.absent, pair.present)]
    for x in outputs:
        assert x.shape == (DRAWS, 1)
        ratio = known.log_present(x[:, 0]) - known.log_absent(x[:, 0])
        np.testing.assert_allclose(pair.log_ratio(x), ratio, rtol=1e-9, atol=1e-9)
    scores = [pair.statistic(x) for x in outputs]
    ratios = pair.log_ratio(outputs[0]), -pair.log_ratio(outputs[1])
    tilted = [float(np.mean(np.exp(np.minimum(ratio, 50.0)))) for ratio in ratios]
    assert scores[1].mean() >= scores[0].mean() - 5 * scores[0].std() / DRAWS**0.5
    assert all(one < 1.5 for one in tilted)  # E_Q[P/Q] = 1
    assert pair.note


def check_draws_have_the_stated_law(entry: MechanismEntry) -> None:
    """The share of draws up to any point is the mass up to there: a bound that 1 of 10 000 honest samplers fails."""
    pair, rng = entry.default().pair(), np.random.default_rng(2)
    known = pair.densities
    for side, log_law in ((pair.absent, known.log_absent), (pair.present, known.log_present)):
        draws = np.sort(side(DRAWS, rng)[:, 0])
        if known.discrete:
            x = np.arange(known.breaks[0], known.breaks[-1] + 1)
            mass = np.cumsum(np.exp(log_law(x)))
        else:
            ends = np.array(known.breaks)
            x = np.unique(np.concatenate([np.linspace(low, high, 2001) for low, high in pairwise(ends)]))
            middle = 0.5 * (x[1:] + x[:-1])
            mass = np.append(0.0, np.cumsum(np.exp(log_law(middle)) * np.diff(x)))
        share = np.searchsorted(draws, x, side="right") / DRAWS
        assert abs(mass[-1] - 1) < 1e-3
        assert np.max(np.abs(share - mass)) < 2.23 / DRAWS**0.5


def check_noise_scales(entry: MechanismEntry) -> None:
    """`with_noise` changes what the entry says is noise, and nothing else; less noise is less private."""
    mechanism, values = entry.default(), {p.name: p.default for p in entry.parameters}
    assert mechanism.with_noise(1.0) == mechanism
    for share in SHARES:
        scaled = {p.name: values[p.name] * share**p.noise if p.noise else values[p.name] for p in entry.parameters}
        at = np.array([0.1, 1.0])
        run = mechanism.with_noise(share)
        np.testing.assert_allclose(run.log_delta(at), entry.build(**scaled).log_delta(at), rtol=1e-12)
        assert type(run) is type(mechanism)
        assert (float(run.delta(0.0)) > float(mechanism.delta(0.0))) == (share < 1)


def check_controls_describe_the_mechanism(entry: MechanismEntry) -> None:
    """Every parameter has words, a range with its default in it, and a place in the label."""
    label = entry.label({p.name: p.default for p in entry.parameters})
    for parameter in entry.parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.symbol in parameter.words
        assert f"{parameter.symbol}={parameter.default}" in label
    assert any(parameter.noise for parameter in entry.parameters)
    assert isinstance(entry.default(), PrivacyProfile)
    wide = entry.among_many()
    for one, other in zip(entry.parameters, wide.parameters, strict=True):
        assert other.low <= one.low <= one.high <= other.high


CHECKS = tuple(value for name, value in sorted(globals().items()) if name.startswith("check_"))
