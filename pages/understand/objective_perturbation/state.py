"""The choices on the objective-perturbation page, and the base class of its views."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from dpcore.exhibits.objective_perturbation.stopped_solver import OUTPUT_NOISES
from dpcore.mechanisms import ObjectivePerturbation
from dpcore.profiles import curves
from dpcore.references import FormulaCard
from pages.components import cache, controls, people, state
from pages.components.charts import Chart, row
from pages.components.say import md
from pages.components.state import When
from pages.components.words import programs

_program = programs(__file__)

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
USE_DIMENSION = ("linearised", "lecture", "non_glm")
NOTES = {"half_normal": "reference"}

# Points of each curve, as many as a chart of half a page can show smoothly. Doubled, computing takes twice as long.
POINTS = 121

# A bound is called looser if log δ exceeds the exact log δ by more than this, that is, if δ is 0.5 % larger.
# Doubled, the excess must be about 1 %.
LOOSER = math.log(1.005)


def _in(view: str) -> When:
    return lambda asked: asked.view == view


def _place(sign: str, key: str) -> Any:
    return state.linear(f"θ{sign} in σ/λ", -2.0, 2.0, 0.5, step=0.1, key=key, when=_in("variables"))


@dataclass(frozen=True)
class State:
    """The choices made in the sidebar."""

    view: str = state.one_of("View", VIEWS, "profile", former=FORMER)
    target: float = state.log("Target ε", 0.05, 8.0, 1.0, when=_in("calibration"))
    n: int = state.whole("Records n", 100, 1_000_000, 10_000, when=_in("calibration"))
    d: int = state.whole("Dimension d", 1, 1000, 40, when=_in("calibration"))
    norm: float = state.log(
        "Comparator norm B", 0.1, 100.0, 3.0, help=md("Assumed ‖θ*‖; never measured"), when=_in("calibration")
    )
    clip: float = state.log(
        "Clip derivatives at C (share of L)", 0.01, 1.0, 1.0, when=_in("calibration"),
        help="Per-example clipping lowers the Lipschitz constant, and with it the noise, to this share.",
    )  # fmt: skip
    first: float = _place("₁", "place1")
    second: float = _place("₂", "place2")
    rate: float = state.log(
        "Sampling rate q", 0.01, 1.0, 0.1, when=_in("sampled"),
        help="Each record is used with this probability, independently",
    )  # fmt: skip
    tau: float = state.log(
        "Solver stops at gradient norm τ", 1e-6, 1.0, 0.01, help="0.01 in the source", when=_in("stopping")
    )
    sigma_out: float = state.log(
        "Noise on the result σₒᵤₜ", *OUTPUT_NOISES, 0.15, help="0.15 in the source", when=_in("stopping")
    )
    sigma: float = state.log("Noise σ", 0.1, 1000.0, 10.0)
    lam: float = state.log("Regularisation λ", 0.01, 1000.0, 5.0, key="lambda")
    beta: float = state.log("Smoothness β", 0.01, 10.0, 1.0, help="Curvature of one record's loss: f″R² ≤ β")
    lipschitz: float = state.log("Lipschitz constant L", 0.1, 10.0, 1.0, help=md("|f′|R ≤ L"))
    monotone: bool = state.toggle(
        "Loss is monotone", default=True,
        help="The derivative keeps one sign for each record, as in logistic regression and the smoothed hinge.",
    )  # fmt: skip
    sharper: bool = state.toggle(
        "Sharper log term",
        help=md("log(1 + β/λ) in place of the published −log(1 − β/λ), in Theorems 3.1, 3.2, C.1 and E.1: valid for any λ."),
    )  # fmt: skip
    shown: tuple[str, ...] = state.several_of(
        "Bounds", BOUNDS, ["tight", "hockey_stick"], key="show",
        help="Theorems 3.1 (hockey-stick) and 3.2 (Rényi), C.1 (linearised Rényi) and E.1 (any convex loss) of Redberg, Koskela and "
        "Wang; Theorem 2.8 of Kifer et al.; the statement of lecture 10; the Gaussian mechanism, the least with this σ.",
    )  # fmt: skip
    dimension: int = state.control(
        1,
        lambda asked, key: controls.count_slider(md("Parameters d (lecture, C.1, E.1)"), 1000, 10, key=key),
        when=lambda asked: asked.view == "beyond" or bool(set(USE_DIMENSION) & set(asked.shown)),
    )
    delta: float = state.delta(md("Look at δ ="))
    epsilon: float = state.linear(
        md("Look at ε ="), 0.0, 8.0, 0.5, step=0.05, when=lambda asked: asked.view != "variables"
    )
    epsilon_max: float = state.log(
        "ε axis up to", 0.1, 20.0, 1.0, when=lambda asked: asked.view not in ("renyi", "variables")
    )
    false_alarms: float = people.false_alarms(when=_in("profile"))
    prior: float = people.prior(when=_in("profile"))

    @property
    def losses(self) -> dict[str, Any]:
        """The constants of the class of losses, as keyword arguments."""
        return {"lipschitz": self.lipschitz, "smoothness": self.beta, "monotone": self.monotone}

    @property
    def too_little(self) -> bool:
        """Whether λ is too small for Theorems 3.1 and 3.2 with the chosen log term."""
        return self.lam <= self.beta and not self.sharper

    @property
    def floor(self) -> float:
        """The smallest δ on the axis."""
        return min(1e-12, self.delta / 1e3)

    def log_delta(self, bound: str, epsilon: float | None = None) -> float:
        """log δ of a bound at `epsilon`, or else at the chosen ε; a value that is not below 0 says nothing."""
        return cache.answer(self.mechanism(bound), "log_delta", self.epsilon if epsilon is None else epsilon)

    def mechanism(self, bound: str) -> ObjectivePerturbation:
        dimension, term = self.dimension if bound in USE_DIMENSION else None, "plus" if self.sharper else "minus"
        return ObjectivePerturbation(
            self.sigma, self.lam, bound=bound, log_term=term, dimension=dimension, **self.losses
        )

    def note(self, bound: str) -> str:
        """A note on what a curve is, if its kind alone does not say it; else an empty string."""
        if bound == "linearised" and self.dimension > 1:
            return "for d = 1 only"
        return NOTES.get(bound, "")

    def profile(self, bound: str) -> curves.Curve:
        """δ(ε) of one bound, as drawn."""
        return cache.shared(
            curves.guarantee_curve, BOUNDS[bound], self.mechanism(bound), self.epsilon_max,
            points=POINTS, note=self.note(bound),
        )  # fmt: skip

    def renyi(self, bound: str) -> curves.Curve:
        """The Rényi divergence of one bound, as drawn."""
        return cache.shared(
            curves.renyi_curve, BOUNDS[bound], self.mechanism(bound), 1e4, points=49, note=self.note(bound)
        )


@dataclass(frozen=True)
class View:
    """Base class of the views; each has its own metrics, charts and notes."""

    asked: State
    code: ClassVar[str] = "bounds"  # name of its program

    def draw(self) -> list[Chart]:
        """Draw the charts in a row."""
        shown = self.charts()
        row(shown)
        return shown

    def data(self) -> pd.DataFrame:
        """The data behind the drawn profiles."""
        return curves.table(self.sampled, "epsilon", "delta")

    def formulas(self) -> list[FormulaCard]:
        """Formula cards of the bounds on the screen."""
        return [self.asked.mechanism(bound).card for bound in BOUNDS if bound in self.asked.shown]

    def program(self) -> str:
        """The lines of dpcore that make these numbers."""
        tight, published = (self.asked.mechanism(bound) for bound in ("tight", "hockey_stick"))
        return _program(self.code, view=self, asked=self.asked, tight=tight, published=published)
