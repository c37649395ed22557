"""The view of the privacy profile: every bound compared with the tight profile and with the lower bound."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from dpcore.exhibits.objective_perturbation import figure as figures
from dpcore.exhibits.objective_perturbation import study
from dpcore.mechanisms.objective_perturbation import SWEPT
from dpcore.profiles import curves
from pages.components import cache, cards, live, people, say, state
from pages.components.cards import Metric
from pages.components.charts import Chart
from pages.components.frames import decks
from pages.components.page import Page
from pages.components.say import md
from pages.components.words import number, probability_from_log, times_from_log
from pages.understand.objective_perturbation import story
from pages.understand.objective_perturbation.state import BOUNDS, LOOSER, POINTS, State, View

_sentence = say.sentences(__file__)


# If δ at the end of the axis exceeds this, the page says that there is hardly any privacy. Doubled (beyond 1), it never
# would.
_NONE = 0.99


@dataclass(frozen=True)
class Profile(View):
    """δ(ε) of the bounds shown, and each divided by the lower bound.

    `known` holds curves that are computed already, by (σ, λ, bound).
    """

    known: Mapping[tuple[float, float, str], curves.Curve] = field(default_factory=dict, repr=False)

    def _curve(self, bound: str) -> curves.Curve:
        return self.known.get((self.asked.sigma, self.asked.lam, bound)) or self.asked.profile(bound)

    @cached_property
    def sampled(self) -> list[curves.Curve]:
        return [self._curve(bound) for bound in BOUNDS if bound in self.asked.shown]

    @cached_property
    def gaps(self) -> list[curves.Curve]:
        """Each curve divided by the lower bound."""
        lower = self._curve("lower")
        return [curves.ratio(one, lower) for one in self.sampled if one.name != lower.name]

    def metrics(self) -> list[Metric]:
        """Cards for δ by the tight profile, the published bound and the lower bound, and for ε at the target δ."""
        log_tight, log_published, log_lower = map(self.asked.log_delta, ("tight", "hockey_stick", "lower"))
        says, looser = log_published < 0, log_published - log_tight
        silent = "needs λ > β" if self.asked.too_little else "nothing below 1 here"
        published, beside = "no guarantee", silent
        if says:
            published, beside = probability_from_log(log_published), f"{times_from_log(looser)} looser"
        epsilon, *_ = story.epsilons(self.asked)
        return [
            Metric(f"δ at ε = {number(self.asked.epsilon)}, tight", probability_from_log(log_tight)),
            Metric(
                md("Published bound (Thm 3.1)"), published, beside, worse=True if says and looser > LOOSER else None
            ),
            Metric("Lower bound (Gaussian)", probability_from_log(log_lower)),
            Metric(f"ε at δ = {number(self.asked.delta)}, tight", number(epsilon)),
        ]

    def charts(self) -> list[Chart]:
        """The charts of the profiles and of the ratios."""
        mode, asked = cards.theme_mode(), self.asked
        tight, charged, _ = story.epsilons(asked)
        prices = (tight, f"truly {number(tight)}"), (charged, f"charged {number(charged)}")
        return [
            Chart("Privacy profile", lambda: figures.bounds_figure(
                      self.sampled, mode, floor=asked.floor, target=asked.delta, named=number(asked.delta),
                      prices=prices),
                  "Delta against epsilon for every bound", "op_profile", caption=_sentence("noise_goes_in_first")),
            Chart("Gap to the lower bound", lambda: figures.ratio_figure(self.gaps, mode, showlegend=False, margin={"t": 48}),
                  "Delta of every bound divided by the lower bound", "op_gap"),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        asked = self.asked
        above = times_from_log(asked.log_delta("tight") - asked.log_delta("lower"))
        shift, at_zero = "log(1 + β/λ)" if asked.sharper else "|log(1 − β/λ)|", md("")
        if not asked.too_little:
            charged, exact = (math.exp(asked.log_delta(bound, 0.0)) for bound in ("hockey_stick", "tight"))
            at_zero = md(": at ε = 0 it charges δ = {!n}, where the truth is {!n}", charged, exact)
        said = [
            _sentence("tight_profile_gaussian_lower", above, asked.epsilon),
            _sentence("theorem_pays_twice", shift, at_zero),
            _sentence("gap_one_regularisation"),
        ]
        if "lecture" in asked.shown:
            stated, truth = (cache.answer(asked.mechanism(one), "epsilon", asked.delta) for one in ("lecture", "tight"))
            term = asked.dimension * math.log1p(asked.beta / asked.lam)
            said.append(_sentence("lectures_statement", stated, asked.delta, term, truth))
        end = math.exp(asked.log_delta("tight", asked.epsilon_max))
        if end > _NONE:
            said.insert(0, _sentence("hardly_any_privacy_on", end, asked.epsilon_max))
        if asked.too_little:
            said.append(md("**λ ≤ β**: Theorems 3.1 and 3.2 do not apply. The tight profile still does."))
        return said


def frames(page: Page, asked: State, name: str) -> Iterator[live.Dealt | None]:
    """The page at each position of a slider. Computed one by one, they would take several times as long as together."""
    places = state.positions(State, name)
    moved = [asked] if name == "epsilon" else [replace(asked, **{name: value}) for value in places]
    told = places if name == "epsilon" else (0.0, asked.epsilon, asked.epsilon_max)
    for bound in ("tight", "hockey_stick", "lower"):
        mechanisms = [one.mechanism(bound) for one in moved]
        epsilons, log_deltas = study.swept_epsilons(mechanisms, asked.delta), study.swept_log_deltas(mechanisms, told)
        for mechanism, epsilon, row in zip(mechanisms, epsilons, log_deltas, strict=True):
            cache.remember(epsilon, mechanism, "epsilon", asked.delta)
            for place, log_delta in zip(told, row, strict=True):
                cache.remember(log_delta, mechanism, "log_delta", place)
        yield None
    known = {}
    for bound in {*asked.shown, "lower"} & set(SWEPT):
        mechanisms = [one.mechanism(bound) for one in moved]
        swept = study.swept_curves(BOUNDS[bound], mechanisms, asked.epsilon_max, points=POINTS)
        for one, curve in zip(moved, swept, strict=True):
            known[one.sigma, one.lam, bound] = replace(curve, note=one.note(bound))
            yield None
    yield from decks(replace(page, study=lambda one: Profile(one, known)), asked, name)


def offers(page: Page, view: View) -> dict[str, live.Offer]:
    """The sliders that the privacy profile follows without a rerun; the other views take too long for frames."""
    asked = view.asked
    if asked.view != "profile" or not asked.shown:
        return {}
    return {
        "op_sigma": (frames, page, replace(asked, sigma=0.1), "sigma"),
        "op_lambda": (frames, page, replace(asked, lam=0.01), "lam"),
        "op_epsilon": (frames, page, replace(asked, epsilon=0.0), "epsilon"),
        "op_false_alarms": (decks, page, replace(asked, false_alarms=people.ALARMS[0]), "false_alarms"),
        "op_prior": (decks, page, replace(asked, prior=people.PRIORS[0]), "prior"),
    }


def taken(follows: Mapping[str, live.Offer]) -> live.Taken | None:
    """Downloaded figures move with a slider of σ."""
    return live.taken(follows, "op_sigma", "σ =", {"Privacy profile": "op_profile", "Gap to the lower bound": "op_gap"})
