"""Private training, live: a hundred noise draws of one release, drawn again when its parameters move."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

import dpcore as dp
from dpcore.data import Dataset
from dpcore.exhibits import training
from dpcore.exhibits.training import figure as figures
from dpcore.exhibits.training.pictures import coefficient_spread, summary
from dpcore.exhibits.training.published import algorithm_1
from dpcore.figures.colors import GREEN, ORANGE, VERMILLION
from dpcore.learners import ObjectivePerturbationLearner, PublicFacts
from dpcore.learners.rules import comparator_norm
from dpcore.references import FormulaCard
from pages.components import cache, cards, say
from pages.components.charts import Chart, row
from pages.components.words import number, script
from pages.your_data.private_training.asked import Training
from pages.your_data.private_training.view import CONFIDENTIAL, View

_sentence = say.sentences(__file__)


@dataclass(frozen=True)
class Live(View):
    """A hundred noise draws of one release."""

    learner: ObjectivePerturbationLearner
    rows: int
    result: training.LiveResult

    @classmethod
    def of(cls, asked: Training) -> Live:
        """Compute the draws.

        Raises
        ------
        DataError
            If there is no release.
        """
        learner, dataset = _learner(asked), asked.dataset
        rows = max(1, round(asked.share * (dataset.n_samples - round(0.2 * dataset.n_samples))))
        try:
            first = learner.loss.scores[0].name
            return cls(asked, learner, rows, cache.in_session(_live, dataset, learner, asked.split, rows, (first,)))
        except dp.DPError as error:
            raise dp.DataError(f"No release: {error}.".replace("..", ".")) from None

    @property
    def name(self) -> str:
        """The name of the first score of this loss."""
        return next(iter(self.result.scores))

    def headline(self) -> str:
        """The score with privacy (the median of the draws) and without."""
        name = self.name
        found, free = shown(name, summary(self.result.scores[name]).median), shown(name, self.result.non_private[name])
        epsilon = cache.shared(_epsilon, self.result.plan.profile, self.asked.delta)
        return f"ε = {number(epsilon)} buys {training.SCORES[name].title} {found}; without privacy {free}"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the score over the draws, the score without privacy, the guarantee, and the excess risk."""
        name, result, delta = self.name, self.result, self.asked.delta
        found = summary(result.scores[name])
        epsilon = cache.shared(_epsilon, result.plan.profile, delta)
        return [
            cards.Metric(
                f"{training.SCORES[name].title.capitalize()}, median draw", shown(name, found.median),
                f"{shown(name, found.low)} to {shown(name, found.high)}", help="In the badge: 90 % of the draws.",
            ),
            cards.Metric("Without privacy", shown(name, result.non_private[name]),
                         f"{shown(name, result.without_noise[name])} at this λ, C"),
            cards.Metric(f"Guarantee at δ = {number(delta)}", f"ε = {number(epsilon)}",
                         f"σ {number(result.plan.parameters['sigma'])}, λ {number(result.plan.parameters['lam'])}"),
            cards.Metric("Excess risk per record", number(float(result.excess.mean())),
                         f"predicted at most {number(result.predicted_excess)}"),
        ]  # fmt: skip

    def charts(self) -> list[Chart]:
        """Charts of the scores, of the coefficients over the draws, and of the excess risk."""
        mode, result, score = cards.theme_mode(), self.result, training.SCORES[self.name]
        free, clean = (scores[self.name] for scores in (result.non_private, result.without_noise))
        references = {
            "without privacy": (free, GREEN), "regularisation alone": (clean, VERMILLION),
            "median draw": (summary(result.scores[self.name]).median, ORANGE),
        }  # fmt: skip
        means = {
            "mean over the draws": (float(result.noise_excess.mean()), GREEN),
            "predicted mean": (result.predicted_noise_excess, VERMILLION),
        }
        return [
            Chart("Scores", lambda: figures.draws_figure(
                    list(result.scores[self.name]), references, f"test {score.title}", mode, share=score.share),
                  "Test scores over the noise draws", "tr_chart_scores", caption=_sentence("one_training_a_draw")),
            Chart("Coefficients", lambda: figures.coefficients_figure(coefficient_spread(result), mode),
                  "Coefficients and their spread over the noise draws", "tr_chart_theta"),
            Chart("Excess risk", lambda: figures.draws_figure(
                    list(result.noise_excess), means, "regularised objective above its minimum, per record", mode, height=280),
                  "Excess risk, measured and predicted", "tr_chart_risk", share=0),
        ]  # fmt: skip

    def moving(self) -> list[Chart]:
        """The charts that follow the slider of the budget."""
        return self.charts()[:2]

    def body(self) -> list[Chart]:
        """Draw the charts in a row."""
        charts = self.charts()
        row([chart for chart in charts if chart.share])
        return charts

    def data(self) -> pd.DataFrame:
        """A table of the draws with all their scores."""
        result = self.result
        scores = cache.in_session(_live, self.asked.dataset, self.learner, self.asked.split, self.rows, None).scores
        return pd.DataFrame({**scores, "excess": result.excess, "noise excess": result.noise_excess})

    def notes(self) -> list[str]:
        """Sentences computed from the draws on the screen."""
        result, name = self.result, self.name
        mean, clean, free = float(result.scores[name].mean()), result.without_noise[name], result.non_private[name]
        said = [
            _sentence(
                "where_score_goes", training.SCORES[name].title, *(shown(name, one) for one in (free, clean, mean))
            ),
            _sentence(
                "prediction_measurement",
                number(float(result.noise_excess.mean())),
                number(result.predicted_noise_excess),
                number(result.predicted_excess),
                number(float(result.excess.mean())),
            ),
            _sentence("more_rows_help_twice"),
        ]
        return [*said, *result.plan.notes, CONFIDENTIAL]

    def formulas(self) -> list[FormulaCard]:
        """The formula card of the learner."""
        return [self.learner.card]

    def program(self) -> str:
        """The lines of dpcore behind the draws."""
        learner = self.learner
        if self.asked.how == "hand":
            arguments = f"sigma={learner.sigma!r}, lam={learner.lam!r}, clip={learner.clip!r}"
        else:
            arguments = (
                f"epsilon={learner.epsilon!r}, delta={learner.delta!r}, rule={learner.rule!r}, bound={learner.bound!r}"
            )
            if learner.tau is not None:
                arguments += f", clip={learner.clip!r}, tau={learner.tau!r}, sigma_out={learner.sigma_out!r}"
            if learner.theta_norm is not None:
                arguments += f", theta_norm={learner.theta_norm!r}"
        return script(
            "data = dp.data.synthetic_l()  # or any data set with a public domain",
            f"learner = dp.{type(learner).__name__}({self.asked.loss!r}, {arguments})",
            f"dp.exhibits.training.live(data, learner, repeat={self.asked.split}, rows={self.rows}).scores  # 100 noise draws",
            "learner.fit(data, rng=0).theta  # one release",
        )


def _learner(asked: Training) -> ObjectivePerturbationLearner:
    if asked.how == "hand":
        return ObjectivePerturbationLearner(
            asked.loss, sigma=asked.sigma, lam=asked.lam, clip=asked.clip, delta=asked.delta
        )
    given = (asked.loss, asked.epsilon, asked.delta)
    if asked.rule == "published":
        return algorithm_1(*given)
    if asked.rule == "paper":
        return ObjectivePerturbationLearner(*given, rule="paper", bound="hockey_stick")
    learner = ObjectivePerturbationLearner(*given)
    norm = comparator_norm(learner.loss, PublicFacts.of(asked.dataset), asked.norm)
    return replace(learner, theta_norm=norm)


def _live(
    dataset: Dataset, learner: ObjectivePerturbationLearner, repeat: int, rows: int, names: tuple[str, ...] | None
) -> training.LiveResult:
    return training.live(dataset, learner, repeat=repeat, rows=rows, names=names)


def shown(name: str, value: float) -> str:
    """A score as text: a percentage if it is a share, else a number."""
    return f"{100 * value:.2f} %" if training.SCORES[name].share else number(value)


def _epsilon(profile: dp.PrivacyProfile, delta: float) -> float:
    return float(profile.epsilon(delta))
