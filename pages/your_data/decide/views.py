"""State, cards, chart and words of the page that decides which learner to use."""

from collections.abc import Callable

import pandas as pd

from dpcore.decisions.check import FREE_FIT
from dpcore.decisions.mean_field import PREDICTION_CARD
from dpcore.exhibits.decide import figure as figures
from dpcore.exhibits.decide import study
from dpcore.references import FormulaCard
from pages.components import cards, say
from pages.components.charts import Chart
from pages.components.words import count, number, programs
from pages.your_data.decide import simulation
from pages.your_data.decide.asked import State

_sentence, _program = say.sentences(__file__), programs(__file__)


def headline(shown: State) -> str:
    """The finding: the learner and what it keeps, or what the target needs."""
    answer, best = shown.answer, shown.best
    if not answer.met:
        what = "No number of rows" if shown.ask == "rows" else "No budget"
        return f"{what} is enough: without privacy it is {shown.said(answer.without_privacy)}"
    if not answer.useful:
        return f"Nothing useful at ε = {number(answer.epsilon)} with {count(answer.facts.n_samples)} rows"
    if shown.ask == "learner":
        what = "" if answer.loss.target.labels else f"{answer.score} "
        return f"{best.learner.title} keeps {what}{shown.said(best.predicted, False)} of {shown.said(answer.without_privacy)}"
    needed = f"ε = {number(answer.epsilon)}" if shown.ask == "epsilon" else f"{count(answer.facts.n_samples)} rows"
    asked = f"{100 * shown.target:.0f} %" if answer.loss.target.labels else f"{answer.score} {shown.target:.2f}"
    return f"{asked} needs {needed}: {best.learner.title}"


def metrics(shown: State) -> list[cards.Metric]:
    """Cards for the recommended learner, what was to be found, and what it is compared with."""
    answer, best = shown.answer, shown.best
    row = []
    if shown.ask == "epsilon":
        row.append(
            cards.Metric(
                "Smallest ε", number(answer.epsilon) if answer.met else "none", f"at δ = {number(shown.delta)}"
            )
        )
    if shown.ask == "rows":
        row.append(
            cards.Metric(
                "Fewest rows",
                count(answer.facts.n_samples) if answer.met else "none",
                f"at ε = {number(shown.epsilon)}",
            )
        )
    if best is not None:
        row.append(
            cards.Metric(
                f"Predicted {answer.score}", shown.said(best.predicted), f"{shown.said(best.low, False)} to {shown.said(best.high)}",
                help="In the badge: 90 % of the releases.",
            )
        )  # fmt: skip
    row.append(cards.Metric("Without privacy", shown.said(answer.without_privacy), "fitted to as many rows"))
    row.append(cards.Metric("Constant prediction", shown.said(answer.constant), "as private"))
    if best is not None and shown.ask == "learner":
        seen = shown.measured.get(best.key)
        row.append(
            cards.Metric("Simulated", "not yet" if seen is None else shown.said(seen.mean),
                         None if seen is None else _data_sets(seen.count))
        )  # fmt: skip
    return row


def _data_sets(number_of: int) -> str:
    return f"{number_of} generated data set{'' if number_of == 1 else 's'}"


def charts(shown: State) -> list[Chart]:
    """A row for each learner."""
    answer = shown.answer
    lines = [
        (answer.without_privacy, f"without privacy {shown.said(answer.without_privacy)}", "free"),
        (answer.constant, f"constant {shown.said(answer.constant)}", "constant"),
    ]
    if answer.target is not None:
        lines.append((answer.target, f"asked for {shown.said(answer.target)}", "target"))
    return [
        Chart(
            "Ranking",
            lambda: figures.ranking_figure(
                study.learner_bars(answer, shown.measured), cards.theme_mode(), lines=lines, ends=study.axis(answer),
                title=f"{answer.score} on new records", share=answer.loss.target.labels,
            ),
            "Predicted score of every learner with the interval of 90 % of its releases, a fit without privacy, and a constant",
            caption=_sentence("predicted"),
        )
    ]  # fmt: skip


def below(shown: State) -> None:
    """Buttons that check the prediction by simulation, and its progress."""
    simulation.show(shown.answer)


def said(shown: State) -> list[str]:
    """Where there is nothing useful, what would help."""
    if shown.answer.useful and shown.answer.met:
        return []
    return [_sentence("nothing_useful")]


def more(shown: State) -> dict[str, Callable[[], None]]:
    """A tab with how to train."""
    return {"Train": lambda: _train(shown)}


def _train(shown: State) -> None:
    if shown.best is None:
        say.markdown(_sentence("nothing_useful"))
        return
    say.markdown(_sentence("guarantee", shown.best.learner.title, shown.best.guarantee))
    simulation.code(shown.best.code)
    simulation.link(shown.answer)


def data(shown: State) -> pd.DataFrame:
    """The ranking, and what was left out and why."""
    answer = shown.answer
    found = [
        {"learner": one.learner.title, "predicted": one.predicted, "from": one.low, "to": one.high,
         "simulated": getattr(shown.measured.get(one.key), "mean", None), "source": one.source}
        for one in answer.ranking
    ]  # fmt: skip
    return pd.DataFrame([*found, *({"learner": title, "source": f"left out: {why}"} for title, why in answer.left_out)])


def notes(shown: State) -> list[str]:
    """Sentences on what is assumed, what is compared, and how good predictions are."""
    answer, seen = shown.answer, shown.measured
    found = [_sentence("what_is_assumed", shown.said(answer.difficulty.best_of(answer.loss)))]
    if answer.useful:
        runner = [one for one in answer.ranking[1:] if one.predicted < answer.best - 0.003]
        if runner:
            found.append(_sentence("others_lose", runner[0].learner.title, 100 * (answer.best - runner[0].predicted)))
    if answer.ranking and not answer.loss.target.labels:
        usual = answer.loss.scores[0].title
        found.append(
            _sentence(
                "own_score",
                answer.score,
                shown.said(shown.best.predicted),
                usual,
                answer.own_score(shown.best.predicted),
            )
        )
    if FREE_FIT in seen and answer.ranking:
        worst = max(abs(seen[one.key].mean - one.predicted) for one in answer.ranking if one.key in seen)
        found.append(_sentence("simulated", _data_sets(seen[FREE_FIT].count), 100 * worst))
    return [*found, _sentence("nothing_chosen_on_data"), _sentence("how_good")]


def formulas(shown: State) -> list[FormulaCard]:
    """The card of the prediction, and of the learner that stands first."""
    return [PREDICTION_CARD, *([shown.best.learner.card] if shown.best is not None else [])]


def program(shown: State) -> str:
    """The lines of dpcore behind the numbers."""
    return _program(shown.ask, shown=shown, bound=shown.facts.domain.target_bound, difficulty=shown.difficulty)
