"""What the objective-perturbation page is asked to show, and its charts."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.calibration import objective
from dpcore.errors import CalibrationError
from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import study
from dpcore.exhibits.objective_perturbation.stopped_solver import OUTPUT_NOISES
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.profiles import curves
from pages.components import cache, cards, export, say
from pages.components.say import md
from pages.components.words import number
from pages.understand.objective_perturbation.plan import CalibrationTarget

VIEWS = {"profile": "δ(ε)", "renyi": "Rényi", "stopping": "Stopped", "calibration": "Calibrate",
         "walk": "Worst loss", "variables": "Density", "sampled": "Sampled", "beyond": "No GLM"}  # fmt: skip
FORMER = {"Stopped solver": "stopping", "How tight works": "walk", "Density of θ": "variables",
          "Sampled records": "sampled", "Beyond GLMs": "beyond"}  # fmt: skip
BOUNDS = {
    "tight": "Tight",
    "hockey_stick": "Thm 3.1",
    "renyi": "Thm 3.2",
    "kifer": "Kifer 2012",
    "lecture": "Lecture 10",
    "linearised": md("Thm C.1"),
    "non_glm": md("Thm E.1"),
    "half_normal": "Half-normal",
    "lower": "Gaussian",
}
BOUNDS_HELP = (
    "Theorems 3.1 (hockey-stick) and 3.2 (Rényi), C.1 (linearised Rényi) and E.1 (any convex loss) of Redberg, Koskela and "
    "Wang; Theorem 2.8 of Kifer et al.; the statement of lecture 10; the Gaussian mechanism, the least with this σ."
)
USE_DIMENSION = ("linearised", "lecture", "non_glm")
NOTES = {"half_normal": "reference"}
DEFAULT_BOUNDS = ["tight", "hockey_stick", "renyi", "kifer", "lower"]
POINTS = 121  # of each curve: as smooth as a chart of half a page can show
RANGES = {"sigma": (0.1, 1000.0), "lam": (0.01, 1000.0), "tau": (1e-6, 1.0), "sigma_out": OUTPUT_NOISES}
LOOKED_AT = ("tight", "hockey_stick")  # the bounds that have a ring
CALIBRATED = ("tight", "hockey_stick", "renyi", "kifer")


@dataclass(frozen=True)
class ObjectiveView:
    """What the sidebar asks to see."""

    sigma: float
    lam: float
    beta: float
    lipschitz: float
    monotone: bool
    sharper: bool
    dimension: int
    shown: tuple[str, ...]
    epsilon: float
    delta: float
    epsilon_max: float
    plan: CalibrationTarget
    tau: float = 0.01
    sigma_out: float = 0.15
    place: tuple[float, float] = (0.5, 0.5)  # θ in σ/λ
    rate: float = 0.1  # share of the records

    @property
    def losses(self) -> dict[str, Any]:
        """The class of losses."""
        return {"lipschitz": self.lipschitz, "smoothness": self.beta, "monotone": self.monotone}

    @property
    def too_little(self) -> bool:
        """Whether λ is too small for Theorems 3.1 and 3.2, with the log term chosen."""
        return self.lam <= self.beta and not self.sharper

    @property
    def floor(self) -> float:
        """Lowest δ in sight."""
        return min(1e-12, self.delta / 1e3)

    @property
    def points(self) -> list[tuple[float, float | None]]:
        """(ε, δ) where the reader looks, on the tight and on the published curve; no δ where there is none in sight."""
        return [(self.epsilon, self._delta(bound)) for bound in LOOKED_AT]

    def _delta(self, bound: str) -> float | None:
        mechanism = self.mechanism(bound)
        if bound not in self.shown or not mechanism.says_something(self.epsilon):
            return None
        return math.exp(float(mechanism.log_delta(self.epsilon)))

    def note(self, bound: str) -> str:
        """What a curve is, where its kind alone does not say it."""
        if bound == "linearised" and self.dimension > 1:
            return "for d = 1 only"
        return NOTES.get(bound, "")

    def mechanism(self, bound: str) -> ObjectivePerturbation:
        return ObjectivePerturbation(
            sigma=self.sigma,
            lam=self.lam,
            lipschitz=self.lipschitz,
            smoothness=self.beta,
            bound=bound,
            monotone=self.monotone,
            log_term="plus" if self.sharper else "minus",
            dimension=self.dimension if bound in USE_DIMENSION else None,
        )


def profile_curves(state: ObjectiveView, call: Callable[..., Any]) -> tuple[list[curves.Curve], list[curves.Curve]]:
    """δ(ε) of the bounds shown, and each divided by the lower one."""
    sampled = [profile_curve(state, bound, call) for bound in BOUNDS if bound in state.shown]
    return sampled, gaps(sampled, profile_curve(state, "lower", call))


def profile_curve(state: ObjectiveView, bound: str, call: Callable[..., Any]) -> curves.Curve:
    """δ(ε) of one bound, as drawn."""
    return call(
        curves.guarantee_curve, BOUNDS[bound], state.mechanism(bound), state.epsilon_max,
        points=POINTS, note=state.note(bound),
    )  # fmt: skip


def gaps(sampled: list[curves.Curve], lower: curves.Curve) -> list[curves.Curve]:
    """Each curve divided by the lower one."""
    return [curves.ratio(one, lower) for one in sampled if one.name != lower.name]


def draw(view: str, state: ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    """The chosen view and the data behind it."""
    return {"profile": _profile, "renyi": _renyi, "calibration": _calibration, "walk": _walk}[view](state)


def _profile(state: ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    mode = cards.theme_mode()
    sampled, ratios = profile_curves(state, cache.shared)
    drawn = {
        "Privacy profile": figures.bounds_figure(sampled, mode, floor=state.floor, look_at=state.points),
        "Gap to the lower bound": figures.ratio_figure(ratios, mode),
    }
    left, right = st.columns([3, 2], gap="small")
    with left:
        export.chart(drawn["Privacy profile"], key="op_profile", alt="Delta against epsilon for every bound")
    with right:
        gap = drawn["Gap to the lower bound"].update_layout(showlegend=False, margin={"t": 48})
        export.chart(gap, key="op_gap", alt="Delta of every bound divided by the lower bound")
    return drawn, curves.table(sampled, "epsilon", "delta")


def _renyi(state: ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    wanted = ("tight", "renyi", "linearised", "non_glm", "half_normal", "lower")
    sampled = [
        renyi_curve(state, bound)
        for bound in wanted
        if bound in state.shown or bound in ("half_normal", "renyi", "lower")
    ]
    drawn = {"Rényi divergence": figures.renyi_bounds_figure(sampled, cards.theme_mode())}
    export.chart(drawn["Rényi divergence"], key="op_renyi", alt="Rényi divergence against its order")
    return drawn, curves.table(sampled, "alpha", "divergence")


def renyi_curve(state: ObjectiveView, bound: str) -> curves.Curve:
    """The Rényi divergence of one bound, as drawn."""
    return cache.shared(
        curves.renyi_curve, BOUNDS[bound], state.mechanism(bound), 1e4, points=49, note=state.note(bound)
    )


def paper_rule(state: ObjectiveView, bound: str) -> ObjectivePerturbation | None:
    """σ and λ by the source's rule, if it finds any."""
    try:
        return cache.shared(objective.paper_rule, state.plan.epsilon, state.delta, bound=bound, **state.losses)
    except CalibrationError:
        return None


def best_calibration(state: ObjectiveView) -> objective.ObjectiveCalibration:
    """C, σ and λ of least predicted risk."""
    plan = state.plan
    return cache.shared(
        objective.best_calibration, plan.epsilon, state.delta, n=plan.n, dimension=plan.dimension,
        theta_norm=plan.norm, clip=plan.clip * state.lipschitz, **state.losses,
    )  # fmt: skip


def extremal(state: ObjectiveView) -> study.ExtremalCurves:
    """The worst loss by direct search."""
    return cache.shared(study.extremal_curves, state.epsilon, state.sigma, state.lam, state.lipschitz, state.beta)


def _calibration(state: ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    plan, options = state.plan, state.losses
    gaussian, found = cache.shared(objective.contours, plan.epsilon, state.delta, CALIBRATED, **options)
    regions = [study.region(BOUNDS[bound], sigma, lam) for bound, (sigma, lam) in found.items()]
    spots = []
    for name, bound, symbol in (
        ("paper's rule, Thm 3.1", "hockey_stick", "square"),
        ("paper's rule, tight", "tight", "diamond"),
    ):
        rule = paper_rule(state, bound)
        if rule:
            spots.append(study.Spot(name, rule.sigma, rule.lam, symbol))
    best = best_calibration(state)
    spots.append(
        study.Spot("least predicted risk", best.sigma * state.lipschitz / best.mechanism.lipschitz, best.lam, "star")
    )
    drawn = {"Calibration plane": figures.calibration_figure(regions, spots, gaussian, cards.theme_mode())}
    export.chart(
        drawn["Calibration plane"], key="op_plane", alt="Smallest regularisation at each noise level, for every bound"
    )
    bias = f", plus at most {number(best.clipping_bias)} of clipping bias" if best.clipping_bias else ""
    say.markdown(
        md(
            "**Least predicted risk**: C = {}, σ = {}, λ = {}; predicted excess "
            "risk {} in sum form, {} per record{}. "
            "Nothing here looks at data: n, d, B and the class of losses are public inputs. The plane is drawn for unclipped L.",
            number(best.clip),
            number(best.sigma),
            number(best.lam),
            number(best.predicted_risk),
            number(best.predicted_risk / plan.n),
            bias,
        )
    )
    frame = pd.concat(
        [pd.DataFrame({"bound": r.name, "sigma": r.sigma, "smallest lambda": r.lam}) for r in regions],
        ignore_index=True,
    )
    return drawn, frame


def _walk(state: ObjectiveView) -> tuple[dict[str, go.Figure], pd.DataFrame]:
    found = extremal(state)
    drawn = {"Extremal loss": figures.extremal_figure(found, cards.theme_mode())}
    export.chart(drawn["Extremal loss"], key="op_walk", alt="Extremal shift of the noise, and the reward it earns")
    say.markdown(
        md(
            "δ is the area under the right-hand curve, by plain quadrature of a direct search; the closed evaluation is of the same "
            "direction (record removed). For a monotone loss the other direction is exactly the Gaussian mechanism: a constant shift Δ."
        )
    )
    return drawn, pd.DataFrame({"shift e": found.reward.x, "reward": found.reward.y})
