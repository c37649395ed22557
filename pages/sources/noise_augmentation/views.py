"""The views of rows, realised regulariser and attack."""

import math
from dataclasses import replace

import pandas as pd

from dpcore.audit import napp as audit
from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.claims import theory_claims
from dpcore.exhibits.noise_augmentation.pictures import realised_picture, row_picture
from pages.components import cache, say
from pages.components.cards import Metric, theme_mode
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number
from pages.sources.noise_augmentation.state import KINDS, AugmentationView
from pages.sources.noise_augmentation.view import Trained, View

_sentence = say.sentences(__file__)

_STRENGTHS = tuple(float(f"{0.05 * 400 ** (k / 36):.4g}") for k in range(37))


class Rows(Trained):
    """The appended rows, and how fast the fit reaches its limit."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.iteration = 2 if state.second else 1
        self.picture = state.cached(row_picture, *self.run, state.rows, self.iteration)

    def headline(self) -> str:
        kind = KINDS[self.state.kind].lower()
        return f"More noise rows, nearer the {kind}: {count(self.state.rows)} rows leave {number(self.picture.here)}"

    def metrics(self) -> list[Metric]:
        found = self.picture
        return [
            self.guarantee(),
            Metric("Largest entry of a row", number(found.spread), f"{count(self.state.rows)} rows"),
            Metric(md("Fit to limit, this nₑ"), number(found.here), "one draw of the rows"),
            Metric("Measured slope", number(found.slope), "theory −½ in the end"),
        ]

    def charts(self) -> list[Chart]:
        picture, mode, rows = self.picture, theme_mode(), self.state.rows
        here = rows, f"this draw: {number(picture.here)}"
        return [
            Chart("Distance to the limit", lambda: figures.distance_figure(picture, here, mode),
                  "Distance of the fit to its limit, against the number of appended rows", "na_distance_chart",
                  caption=_sentence("rows_act_as_penalty")),
            Chart("Augmented data", lambda: figures.rows_figure(picture, mode), "Two columns of data and appended rows",
                  "na_rows_chart"),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        found, certified = self.picture, self.state.variant == "certified"
        return [
            _sentence("nothing_but_rows_added", count(self.state.rows), found.spread),
            _sentence("noise_b_carried_exactly", found.carried),
            _sentence("regulariser_carried_on_average", found.here, found.slope),
            _sentence("paired_signs_must_share"),
            *([_sentence("certified_means")] if certified else []),
        ]

    def data(self) -> pd.DataFrame:
        return self.picture.table


class Realised(View):
    """The regulariser that the weights realise, and what the proof takes for granted."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.floor = state.scenario.floor
        self.picture = cache.shared(realised_picture, state.regularizer, self.floor, state.printed)
        self.least = float(self.picture.curvature.min())
        self.claims = cache.shared(theory_claims)

    def headline(self) -> str:
        return f"The proof needs curvature {number(2 * self.floor)}; the penalty realises {number(self.least)}"

    def metrics(self) -> list[Metric]:
        found, needed = self.picture, 2 * self.floor
        at = len(found.theta) * 3 // 4
        moor, summed = (float(abs(line[at] - found.target[at])) for line in (found.moor, found.summed))
        return [
            Metric("Needed: 2Λ₀", number(needed), md("= ζ₃/((1−r)ε), ζ₃ = 1")),
            Metric("Curvature in the proof", number(float(found.modulus.min())), "least, weights fixed"),
            Metric("Curvature realised", number(self.least), "least", worse=True if self.least < needed * (1 - 1e-9) else None),
            Metric("Off target at θ = 1", number(moor), f"sum {number(summed)}"),
        ]  # fmt: skip

    def charts(self) -> list[Chart]:
        return [Chart("Realised regulariser", lambda: figures.realised_figure(self.picture, theme_mode()),
                      "Realised regulariser and its curvature against the coefficient", "na_realised_chart")]  # fmt: skip

    def notes(self) -> list[str]:
        crossover = self.picture.crossover
        said = [_sentence("two_curvatures_one_word")]
        if self.least < 2 * self.floor and math.isfinite(crossover):
            said.append(_sentence("maximum_gives_too_little", crossover, self.least, 2 * self.floor))
        said.append(_sentence("moor_does_reach_target"))
        if self.state.printed and self.state.kind != "ridge":
            said.append(_sentence("printed_weights"))
        return said

    def data(self) -> pd.DataFrame:
        found = self.picture
        return pd.DataFrame({
            "theta": found.theta, "target": found.target, "moor": found.moor, "sum": found.summed,
            "modulus_of_weights": found.modulus, "curvature_moor": found.curvature, "curvature_sum": found.curvature_sum,
        })  # fmt: skip


class Private(View):
    """An attack on one record, in one dimension, that tests the claimed guarantee."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        scenario = state.scenario
        self.found = cache.shared(audit.attack, scenario, state.attacked)
        anywhere = replace(scenario, strength=1.0)  # a fixed Λ in the cache key: moving Λ computes no new sweep
        self.deltas = {key: cache.shared(audit.sweep, anywhere, key, _STRENGTHS) for key in audit.GAME_VARIANTS}
        self.proven = scenario.certified.pure_epsilon
        self.claims = cache.shared(theory_claims)

    def headline(self) -> str:
        ratio, at = self.found.largest_ratio, number(self.state.epsilon)
        truth = "no ε at all holds" if math.isinf(ratio) else f"an attack finds {number(ratio)}"
        return f"Claimed ε = {at}; {truth}"

    def metrics(self) -> list[Metric]:
        state, found, variant = self.state, self.found, self.state.attacked
        delta, limit, tolerance = found.delta, "claimed: 0", 1e-9
        if state.after:
            delta = cache.shared(audit.after_iterations, state.scenario, state.after)
            # The probabilities of cells are right to about 1e-3, so smaller differences are not called a violation.
            limit, tolerance = f"claimed: 0; limit {number(found.delta)}", 1e-3
        spent = cache.shared(audit.attack, state.scenario, "certified").largest_ratio
        infinite, at = math.isinf(found.largest_ratio), number(state.epsilon)
        return [
            Metric(f"δ at the claimed ε = {at}", number(delta), limit, worse=True if delta > tolerance else None),
            Metric("Largest log ratio, T → ∞", number(found.largest_ratio), "no ε at all" if infinite else f"claimed {at}"),
            Metric("Worst δ over all Λ here", number(float(max(self.deltas[variant]))), audit.GAME_VARIANTS[variant]),
            Metric("Certified sum form", f"ε = {number(self.proven)}", f"largest ratio found {number(spent)}"),
        ]  # fmt: skip

    def charts(self) -> list[Chart]:
        state, mode = self.state, theme_mode()
        laws = cache.shared(audit.laws, state.scenario, state.attacked)
        return [
            Chart("Output law", lambda: figures.laws_figure(laws, mode),
                  "Density of the released coefficient with and without the record", "na_law",
                  caption="Output law, with the record and without"),
            Chart("δ against Λ", lambda: figures.sweep_figure(_STRENGTHS, self.deltas, audit.GAME_VARIANTS, state.strength, mode),
                  "Delta at the claimed epsilon against the lasso strength", "na_sweep", caption=md("δ at the claimed ε, against Λ")),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        state, delta = self.state, self.found.delta
        alone = "Without the record no output falls between 0 and Λ/(2Λ₀): the maximum has no curvature there. With it, some do."
        among = "Between 0 and Λ/(2Λ₀) the maximum has no curvature: all that keeps outputs comparable is that of the other records."
        reasons = {
            "moor": among if state.others else alone,
            "vs_plus": "With b ≥ 0 the noise can only shrink θ towards 0: how far out θ can lie is a fact about the data.",
            "retrieval": "At small θ nearly the whole Jacobian budget is handed back, while the log ratio stays where it was.",
            "certified": "The quadratic Λ₀θ² is there at every θ: the log ratio stays at or below its proven bound.",
        }
        broken = _sentence("claimed_with_truth", state.epsilon, delta)
        return [
            md("**Why.** {}", reasons[state.attacked]),
            broken if delta > 1e-9 else _sentence("no_violation_these_settings"),
            _sentence("more_data"),
            _sentence("what_holds", state.scenario.floor, self.proven),
        ]

    @property
    def last(self) -> str:
        """The last number of the program."""
        after = self.state.after
        return f"audit.after_iterations(scenario, {after})" if after else "scenario.certified.pure_epsilon"

    def data(self) -> pd.DataFrame:
        named = {audit.GAME_VARIANTS[key]: values for key, values in self.deltas.items()}
        return pd.DataFrame({"strength": _STRENGTHS, **named})
