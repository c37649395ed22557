"""What the composition page is asked to show, and its answers in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import dpcore as dp
from dpcore.profiles import PrivacyProfile
from dpcore.profiles.curves import Curve
from dpcore.studies import composition
from pages.components import cache, cards, controls, say
from pages.components.say import md
from pages.components.words import number, probability_from_log, times
from pages.understand.composition import pipeline

VIEWS = {"accountants": "Accountants", "loss": "Privacy loss", "growth": "Growth", "renyi": "Rényi", "tuning": "Tuning"}
METHODS = {
    "pld": "PLD",
    "saddle": "Saddle point",
    "renyi": "Rényi",
    "advanced": "Advanced",
    "optimal": "Optimal (pure)",
    "basic": "Basic",
}
_WIDE = 2e-4  # relative width of ε from which on the page says why
_DIGITS = 7  # of both ends, that fit below a number on a card
CERTIFIED = "certified upper side"  # what a curve of PLD is, wherever it is drawn
COMPARED = ("renyi", "basic", "advanced")
METHODS_HELP = (
    "PLD: privacy-loss distributions convolved, with a certified lower and upper side. Saddle point: the same curve by contour "
    "integration, an estimate. Rényi: divergences added. Advanced: Dwork, Rothblum, Vadhan. Optimal: Kairouz, Oh, Viswanath, "
    "for pure mechanisms. Basic: ε and δ added."
)


@dataclass(frozen=True)
class CompositionView:
    """What the sidebar asks to see."""

    view: str
    rows: tuple[pipeline.Row, ...]
    methods: tuple[str, ...]
    epsilon: float
    delta: float
    repeat: int
    direction: str
    candidates: int
    coverage: float

    @property
    def once(self) -> tuple:
        """The pipeline run once."""
        return pipeline.parts(self.rows)

    @property
    def parts(self) -> tuple:
        """The pipeline, repeated as often as asked."""
        return composition.repeated(self.once, self.repeat)

    def bracket(self, method: str = "pld") -> dp.Bracket:
        return cache.kept(dp.compose, self.parts, method)

    def epsilon_at(self, method: str = "pld", *, side: str = "upper") -> float:
        """ε at the target δ; where ε(δ) is drawn anyway it is read off that curve, so that each is computed once."""
        bracket = self.bracket(method)
        if self.view != "accountants":
            return float(cache.shared(_epsilon_of, getattr(bracket, side), self.delta))
        curve = self.epsilon_curve(method, side=side)
        answers = zip(curve.x.tolist(), curve.y.tolist(), strict=True)
        value = min(answers, key=lambda answer: abs(math.log(answer[0] / self.delta)))[1]
        return math.inf if math.isnan(value) else value

    def epsilon_curve(self, method: str, *, side: str = "upper") -> Curve:
        """ε(δ) of one side of an accountant's answer, over every power of ten that the slider has."""
        name = METHODS[method] + (", lower side" if side == "lower" else "")
        return cache.shared(composition.composed_epsilon_curve, name, getattr(self.bracket(method), side))

    def supported(self) -> tuple[dict[str, dp.Bracket], list[str]]:
        """Brackets of the chosen methods, and a sentence for each that does not apply."""
        found, refused = {}, []
        for method in METHODS:
            if method not in self.methods:
                continue
            try:
                found[method] = self.bracket(method)
            except dp.DPError as error:
                refused.append(f"{METHODS[method]}: {error}.")
        return found, refused


def view_controls(view: str) -> dict[str, object]:
    """The controls that only one view needs."""
    options: dict[str, object] = {"repeat": 1, "direction": "remove", "candidates": 10, "coverage": 0.8}
    if view == "loss":
        options["repeat"] = controls.count_slider("Run the pipeline k times", 1000, 1, key="co_repeat")
        options["direction"] = say.segmented_control(
            "Direction", ["add", "remove"], default="remove", required=True, key="co_direction",
            format_func=controls.DIRECTION_WORDS.get, bind="query-params", persist_state="session",
        )  # fmt: skip
    if view == "tuning":
        options["candidates"] = controls.count_slider("Learning rates to try, s", 100, 10, key="co_candidates")
        options["coverage"] = controls.linear_slider(
            "Chance that the best one is tried", 0.05, 0.99, 0.8, step=0.01, key="co_coverage"
        )
    return options


def metrics(state: CompositionView) -> None:
    """ε at the target δ as a bracket, δ at ε, and what simpler accountants would have said."""
    bracket = state.bracket()
    low, high = state.epsilon_at(side="lower"), state.epsilon_at()
    log_low, log_high = (float(side) for side in cache.shared(log_delta_of, bracket, state.epsilon))
    at = f"δ = {number(state.delta)}"
    row = [
        cards.Metric(
            f"ε at {at}", number(high, 4), interval(low, high),
            help="In the badge: the certified bracket. Its upper side is the guarantee; nobody can prove less than its lower side.",
        ),
        cards.Metric(
            f"δ at ε = {number(state.epsilon)}", probability_from_log(log_high),
            f"relative width {number(-math.expm1(min(log_low - log_high, 0.0)), 2)}" if log_high > -math.inf else None,
        ),
    ]  # fmt: skip
    for method in COMPARED:
        if method in state.methods and len(row) < 4:
            value = state.epsilon_at(method)
            row.append(
                cards.Metric(f"{METHODS[method]}: ε at {at}", number(value, 4), _compared(value, high), worse=True)
            )
    if len(row) < 3:
        steps = sum(count for _, count in state.parts)
        row.append(cards.Metric("Steps composed", f"{steps:,}".replace(",", "\u202f")))
    cards.metric_row(row)
    if high < math.inf and high - low > _WIDE * high:
        say.caption(
            md(
                ":material/width: The two sides are {} % apart here: steps this many and this "
                "different need a longer transform than is allowed. Both sides remain certified.",
                number(100 * (high - low) / high, 2),
            )
        )


def _epsilon_of(profile: PrivacyProfile, delta: float) -> float:
    return float(profile.epsilon(delta))


def log_delta_of(bracket: dp.Bracket, epsilon: float) -> tuple[float, float]:
    """(lower, upper) of log δ at ε."""
    return bracket.log_delta(epsilon)


def _compared(value: float, reference: float) -> str | None:
    return f"{times(value / reference)} PLD" if reference > 0 and math.isfinite(value) else None


def interval(low: float, high: float) -> str:
    """[low, high] with as many digits as tell them apart; where they are too many for a card, how far apart they are."""
    if not math.isfinite(high) or high <= 0 or low == high:
        return md("[{}, {}]", number(low, 4), number(high, 4))
    digits = min(max(1, math.ceil(-math.log10(max((high - low) / high, 1e-12))) + 1), 12)
    if digits > _DIGITS:
        return f"lower side {number(high - low, 2)} less"
    places = max(digits - 1 - math.floor(math.log10(high)), 0)
    scale = 10.0**places
    return md("[{:.{}f}, {:.{}f}]", math.floor(low * scale) / scale, places, math.ceil(high * scale) / scale, places)
