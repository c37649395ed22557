"""Private training as a study: learners against ε, computed point by point; it can be stopped and resumed."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from dpcore.data.samples.published import INTERCEPT
from dpcore.exhibits import training
from dpcore.exhibits.training import figure as figures
from dpcore.exhibits.training.pictures import baseline, nearest_to_one, of_score
from dpcore.exhibits.training.published import TABLES, PublishedTable
from dpcore.exhibits.training.stored import stored_points
from dpcore.references import FormulaCard
from pages.components import cards, say
from pages.components.charts import Chart, place
from pages.components.say import md
from pages.components.state import NothingToShowError
from pages.components.words import number, programs
from pages.your_data.private_training import printed
from pages.your_data.private_training.asked import Training
from pages.your_data.private_training.learners import NAMES, learners
from pages.your_data.private_training.live import shown
from pages.your_data.private_training.view import CONFIDENTIAL, View

_sentence, _program = say.sentences(__file__), programs(__file__)


# Seconds of work before the page is drawn again. Doubled, the chart is renewed half as often.
BUDGET = 0.8

# Most cells (rows × columns) of a data set for which a study begins by itself. Beyond, one release may take a minute.
# Doubled, opening the study may take twice as long.
_CELLS = 5_000_000
_POINTS, _RUNNING = "data_training_points", "data_training_running"
_DECISIONS = (
    _sentence("nothing_tuned_on_data"),
    _sentence("clipping"),
    _sentence("bias_column", INTERCEPT),
    md("**Rows are scaled one by one** to the public norm; scaling by statistics of the data would leak them."),
    md("**A λ that is too small is refused**, with the reason, where a bound needs λ > β."),
)


@dataclass(frozen=True)
class Study(View):
    """Learners compared at several ε over random splits; unfinished points are left out."""

    study: training.LearnerComparison

    @classmethod
    def of(cls, asked: Training) -> Study:
        """Make the study that compares the chosen learners.

        Raises
        ------
        NothingToShowError
            If nothing is chosen.
        """
        if not asked.learners or not asked.grid:
            raise NothingToShowError("Choose at least one learner and one ε.")
        compared = learners(asked.loss, asked.learners, asked.epochs, asked.dataset.domain.row_norm)
        study = training.LearnerComparison(
            asked.dataset, compared, tuple(sorted(asked.grid)), asked.delta, asked.repeats
        )
        return cls(asked, study)

    def headline(self) -> str:
        """The score of the best learner with a guarantee at the ε nearest to 1, and that of the fit without privacy."""
        name, series = self.asked.score, training.mean_scores(self.finished())
        at = nearest_to_one(of_score(series, name), training.SCORES.get(name))
        if at is None:
            return super().headline()
        learner, epsilon, score = at
        what = "" if training.SCORES[name].share else f"{training.SCORES[name].title} "
        free, said = baseline(series, name), f"ε = {number(epsilon)} buys {what}{shown(name, score)} with {learner}"
        return said if math.isnan(free) else f"{said}; without privacy {shown(name, free)}"

    @property
    def printed(self) -> PublishedTable | None:
        """The table printed for these data, if there is one."""
        return next((table for table in TABLES.values() if table.data == self.asked.data), None)

    def finished(self) -> list[training.TrainedPoint]:
        """The points of this study that this session has computed."""
        return self.study.select(_points())

    def charts(self) -> list[Chart]:
        """Charts from the points that are computed so far."""
        series, mode = training.mean_scores(self.finished()), cards.theme_mode()
        scores, published = of_score(series, self.asked.score), {}
        if self.printed is not None and self.asked.score == "accuracy":
            published = self.printed.shares
        if not scores and not published:
            return []
        excess, bound = of_score(series, "excess"), of_score(series, "bound")
        up = f"test {training.SCORES[self.asked.score].title}"
        found = [
            Chart("Score against ε", lambda: figures.study_figure(
                    scores, baseline(series, self.asked.score), up, mode, published=published),
                  "Test score of every learner against epsilon", "tr_chart_study"),
            Chart("Excess risk", lambda: figures.excess_figure(excess, bound, mode),
                  "Excess risk, measured and predicted", "tr_chart_risk"),
        ]  # fmt: skip
        return found if scores else found[:1]

    def body(self) -> list[Chart]:
        """Show the chart of the points so far, the progress, and buttons to run and stop."""
        self._begin()
        running, missing = bool(st.session_state.get(_RUNNING)), bool(self.study.missing(_points()))
        st.fragment(self._fill, run_every=0.1 if running and missing else None)()
        left, right, _ = st.columns([1, 1, 3], gap="small")
        look = {"type": "primary", "width": "stretch"}
        say.button("Run", on=left, on_click=_set, args=(True,), disabled=running or not missing, **look)
        say.button("Stop", on=right, on_click=_set, args=(False,), disabled=not running, width="stretch")
        if missing:
            say.caption(
                f"Run computes {self._asked_for()}. Points appear as they finish, and stay when a control moves."
            )
        printed.honest_tuning(self.study, NAMES["honest"])
        printed.best_of_ten(self.study, NAMES["published"], self.printed)
        return self.charts()

    def _begin(self) -> None:
        """Compute the first releases at once if each is quick, so that the page has a chart."""
        quick = {name: one for name, one in self.study.learners.items() if not hasattr(one, "epochs")}
        if not self.finished() and self.study.dataset.X.size <= _CELLS:
            _work(replace(self.study, learners=quick, repeats=1))

    def _fill(self) -> None:
        found, total = self.finished(), len(self.study.tasks())
        done = len(found)
        for chart in self.charts()[:1]:
            place(chart)
        known = sum(point.key in stored_points() for point in found)
        before = f", {known} of them computed beforehand" if known else ""
        say.progress(done / total, f"{done} of {total} releases{before}" + ("" if done < total else ": finished"))
        refused = sorted({f"{p.name} at ε = {number(p.epsilon)}: {p.problem}" for p in found if p.problem})
        for sentence in refused[:6]:
            say.warning(sentence)
        if st.session_state.get(_RUNNING):
            _work(self.study)
            if not self.study.missing(_points()):
                _set(False)
                st.rerun()

    def _asked_for(self) -> str:
        """What Run will compute, in words."""
        study, data = self.study, self.study.dataset
        passes = {one.epochs for one in study.learners.values() if hasattr(one, "epochs")}
        epochs = f", {max(passes)} epochs of DP-SGD" if passes else ""
        return (
            f"{study.repeats} splits of {data.n_samples} × {data.n_features} data with targets from {number(data.y.min())} "
            f"to {number(data.y.max())}, at δ = {number(study.delta)}{epochs}"
        )

    def data(self) -> pd.DataFrame:
        """A table with one row for each finished release."""
        rows = [
            {"learner": p.name, "epsilon": p.epsilon, "split": p.repeat, **p.scores, "excess": p.excess, "bound": p.bound,
             "seconds": p.seconds, "problem": p.problem}
            for p in self.finished()
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def formulas(self) -> list[FormulaCard]:
        """The formula cards of the compared learners, each once."""
        found = [learner.card for learner in self.study.learners.values()]
        return [card for place, card in enumerate(found) if card not in found[:place]]

    def notes(self) -> list[str]:
        """Sentences on what the study shows, how it differs from the published one, and the decisions behind it."""
        found, said = training.mean_scores(self.finished()), []
        by_name = {entry.name: entry for entry in found if entry.score == self.asked.score}
        tight, paper = (by_name.get(NAMES[key]) for key in ("tight", "published"))
        if self.printed is not None:
            said += printed.verdicts(self.printed, found, printed.names_at(self.study, NAMES))
        if tight is not None and paper is not None:
            of_paper = dict(zip(paper.epsilon, paper.mean, strict=True))
            pairs = [(e, mean, of_paper[e]) for e, mean in zip(tight.epsilon, tight.mean, strict=True) if e in of_paper]
            if pairs:
                epsilon, ours, published = max(pairs, key=lambda pair: abs(pair[1] - pair[2]))
                better = training.SCORES[self.asked.score].higher_is_better == (ours > published)
                worth = "pays off" if better else "does not pay off"
                both = (shown(self.asked.score, score) for score in (ours, published))
                said.append(_sentence("exact_profile_here", worth, epsilon, *both))
        if NAMES["dishonest"] in self.study.learners:
            said.append(_sentence("dishonest_tuning"))
        remarks = self.printed.remarks if self.printed is not None else ()
        return [*said, *remarks, *_DECISIONS, CONFIDENTIAL]

    def program(self) -> str:
        """The lines of dpcore behind the study."""
        return _program("study", study=self.study)


def _points() -> dict[str, training.TrainedPoint]:
    """The points that this session has computed and those that are stored with the program, by key."""
    if _POINTS not in st.session_state:
        st.session_state[_POINTS] = dict(stored_points())
    return st.session_state[_POINTS]


def _set(running: bool) -> None:
    st.session_state[_RUNNING] = running


def _work(study: training.LearnerComparison) -> None:
    finished, started = _points(), time.monotonic()
    for point in study.run(tuple(finished)):
        finished[point.key] = point
        if time.monotonic() - started > BUDGET:
            return
