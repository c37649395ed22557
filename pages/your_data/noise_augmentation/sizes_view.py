"""Noise and sample size: Corollary 5, Theorem 10 as a calculator, and the works it is compared with."""

import pandas as pd
import streamlit as st

from dpcore.exhibits.noise_augmentation.settings import SETTINGS, Case, example
from dpcore.exhibits.noise_augmentation.sizes import cms_curves, sample_size, second_terms, sigma_curves
from dpcore.exhibits.noise_augmentation.sizes_figure import size_figure
from pages.components import cache, cards, export, say
from pages.components.say import md
from pages.components.words import count, number, times
from pages.your_data.noise_augmentation.shown import Shown, cached
from pages.your_data.noise_augmentation.state import AugmentationView

EPSILONS = (0.1, 0.2, 0.4, 1.0, 2.0, 4.0, 8.0)
RECORDS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
_TARGETS = tuple(round(0.02 * 1.6**k, 4) for k in range(16))
_TRUTH = SETTINGS["linear"].theta  # of the ridge under comparison
_DELTA = 1e-4  # of the Gaussian curves where the noise is spherical


def show(state: AugmentationView) -> Shown:
    """Four pictures: σ against ε, n against ϱ, the bound of CMS, the second term of Kifer et al."""
    case, known = state.case(), truth_of(state)
    delta = state.delta or _DELTA
    sigmas = cache.shared(sigma_curves, EPSILONS, delta, case.lipschitz)
    here = cache.shared(sigma_curves, (state.epsilon,), delta, case.lipschitz)
    asked = state.regularizer, state.epsilon, state.delta
    size = cache.shared(sample_size, known, *asked, state.allowed, state.constant)
    grid = [cache.shared(sample_size, known, *asked, target, state.constant).records for target in _TARGETS]
    lam = 2 * state.strength / len(case.y)
    cms = cache.shared(cms_curves, RECORDS, lam, state.epsilon, len(_TRUTH), float(_TRUTH @ _TRUTH), state.constant)
    second = cached(state, second_terms, case, state.strength, EPSILONS)
    least, printed = float(here["least possible"][0]), float(here["Corollary 5"][0])
    records = count(size.records) if size.records < float("inf") else "none is enough"
    cards.metric_row([
        cards.Metric("σ of Corollary 5", number(printed), f"least possible {number(least)}"),
        cards.Metric("Records, Theorem 10", records, f"for ϱ = {number(state.allowed)}"),
        cards.Metric("Least ϱ it can promise", number(size.least), f"C′ = {number(state.constant)}"),
        cards.Metric("Eq. (4) over Corollary 5", times(float(here["Eq. (4), simplified form"][0]) / printed), "the same at small ε"),
    ])  # fmt: skip
    mode = cards.theme_mode()
    drawn = {
        "Gaussian noise against ε: Corollary 5 and the least possible": size_figure(
            EPSILONS, sigmas, "claimed ε (nats)", "σ", mode, here=state.epsilon
        ),
        "Records that Theorem 10 asks for, against the allowed excess": size_figure(
            _TARGETS, {"Theorem 10": grid}, "allowed excess ϱ", "records n", mode, here=state.allowed
        ),
        "Bound for a ridge: Theorem 10 and CMS": size_figure(RECORDS, cms, "records n", "bound on the excess", mode),
        "Price of strong convexity: Kifer et al. and MOOR": size_figure(
            EPSILONS, second, "claimed ε (nats)", "excess per record", mode
        ),
    }
    for titles in (list(drawn)[:2], list(drawn)[2:]):
        for column, title in zip(st.columns(2, gap="small"), titles, strict=True):
            with column:
                say.caption(title)
                export.chart(drawn[title], key=f"na_{title}", alt=title)
    data = pd.concat(
        [
            pd.DataFrame({"epsilon": EPSILONS, **sigmas, **second}),
            pd.DataFrame({"allowed excess": _TARGETS, "records": grid}),
            pd.DataFrame({"n (ridge)": RECORDS, **cms}),
        ],
        ignore_index=True,
    )
    saved = 1 - float(second["MOOR, (R(θ̂) − Λ‖θ̂‖₁)/n"][0]) / max(float(second["Kifer et al., Λ₀‖θ̂‖²/n"][0]), 1e-300)
    return Shown(drawn, data, {"saved": saved, "over": printed / least, "lam": lam})


def truth_of(state: AugmentationView) -> Case:
    """Data whose true coefficients are known: those shown, or the linear model."""
    return state.case() if state.simulated else cache.shared(example, "linear", 200)


def words(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    """What the four pictures say, and where it holds."""
    return [
        md(
            "**Corollary 5 holds for the share ε/2 of the noise**, at every ε and δ, by a tail bound. The exact Gaussian needs {} "
            "less σ here. Eq. (4) at r = ½ and the simplified form are the same number, always above the corollary's.",
            f"{100 * (1 - 1 / facts['over']):.0f} %",
        ),
        md(
            "**Theorem 10 asks for n > (R(θ₀) + 2N²/k)/(ϱ + C′ log π′/(2k))**, k = 2Λ₀, π = π′ = 0.05: with probability 0.9 then "
            "L(θ) ≤ L(θ₀) + ϱ. It has a value only for ϱ above −C′ log π′/(2k), and the source does not give C′."
        ),
        md(
            "**CMS** (Chaudhuri, Monteleoni, Sarwate): the source finds their bound for a ridge λ/2‖θ‖² with nₑℓ″V = nλ/2. That ridge is "
            "nλ-strongly convex; with it the theorem gives half the noise term. Here λ = {}, {} columns, ‖θ₀‖² = {}.",
            number(facts["lam"]),
            len(_TRUTH),
            number(float(_TRUTH @ _TRUTH)),
        ),
        md(
            "**Kifer et al.** pay Λ₀‖θ̂‖² for strong convexity; MOOR pays only beyond |θ| = Λ/(2Λ₀): {} less at ε = 0.1. "
            "Both are as much worth as the guarantee, which fails for MOOR.",
            f"{100 * facts['saved']:.0f} %",
        ),
    ]
