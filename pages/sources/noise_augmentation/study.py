"""The simulations of the noise-augmentation page: run in pieces, shown as they come, stopped at any time."""

import time

import pandas as pd
import streamlit as st

from dpcore.errors import DPError
from dpcore.exhibits.noise_augmentation import adult, simulation
from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.claims import simulation_claims
from dpcore.exhibits.noise_augmentation.settings import SETTINGS
from dpcore.glm.losses import BINARY, LOSSES
from pages.components import cache, cards, say
from pages.components.charts import Chart
from pages.components.export import chart as show_chart
from pages.components.say import md
from pages.components.words import number
from pages.sources.noise_augmentation import study_cards
from pages.sources.noise_augmentation.state import AugmentationView
from pages.sources.noise_augmentation.view import View

_sentence = say.sentences(__file__)

_RUNNING, _PROBLEM, _PENDING, _POINTS = "napp_running", "napp_problem", "data_napp_pending", "data_napp_points"

# Seconds of work before the stop button is looked at again. Doubled, a stop takes effect up to twice as late.
_PIECE = 0.5


# Number of data sets that are simulated before Run is pressed, so that the page has a picture. Doubled, the page
# opens later.
_FIRST = 4

# Most training rows from a loaded file, unless full size is asked for. Doubled, each fit takes longer.
_QUICK_ROWS = 3000
_ADULT_STRENGTHS = (0.1, 0.4, 1.0)
_PRIVATE = ("NAPP", "DP-ERM", "VS", "VS, sum", "VS+", "VS+, sum")
_SHOWN = {
    "distance": ("MOOR, b = 0", "sum, b = 0"),
    "selection": ("lasso", *_PRIVATE),
    "prediction": ("lasso", *_PRIVATE),
    "budget": ("lasso", *_PRIVATE),
    "retrieval": _PRIVATE,
    "recycling": ("NAPP", "NAPP, recycled", "VS", "VS, recycled", "VS+", "VS+, recycled"),
}
_SCORES = {  # figures that show one score against Λ: (title, name of the score, words on the axis)
    "distance": ("Distance to the lasso", "distance to lasso", "‖θ − lasso‖"),
    "retrieval": ("Retrieved budget", "retrieved", "share of (1 − r)ε retrieved"),
}


def study(state: AugmentationView) -> simulation.Simulation:
    """The study the sidebar asks for."""
    protocol = simulation.CONVERGED
    if state.simulated:
        source, n, (low, high) = state.data, state.n, SETTINGS[state.data].strengths
        count, repeats = (12, 500) if state.full else (8, 12)
        strengths = tuple(float(f"{low * (high / low) ** (k / (count - 1)):.4g}") for k in range(count))
    else:
        source, strengths, repeats = state.case, _ADULT_STRENGTHS, 20 if state.full else 3
        n = max(2, int(0.67 * len(source.y)))
        n = n if state.full else min(n, _QUICK_ROWS)
        if state.as_printed:
            adult.source_split(source)
            n, protocol = adult.TRAIN_RECORDS, adult.AS_IN_SOURCE
    asked = source, n, state.epsilons, strengths, repeats, state.delta, state.printed
    return simulation.Simulation(*asked, protocol=protocol)


class Study(View):
    """A study while it runs: its cards and charts change, so they are drawn in fragments that rerun by themselves."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.wanted = study(state)
        self.source, self.largest = repr(state.data) if state.simulated else "case", max(self.wanted.epsilons)
        self.points = st.session_state.setdefault(_POINTS, {}).setdefault(self.wanted.key, {})
        if state.simulated and self.summary is None:
            first = cache.shared(simulation.first_data_sets, self.wanted, _FIRST)
            self.points.update({point.key: point for point in first})

    def headline(self) -> str:
        return study_cards.headline(self.state, self.summary)

    @property
    def summary(self) -> simulation.Summary | None:
        """The scores of the finished data sets; None until every ε has a finished data set."""
        return simulation.summarise_simulation(self.wanted, self.points)

    @property
    def claims(self):
        """The statements that can be checked so far."""
        return simulation_claims(self.summary) if self.summary else []

    def metrics(self) -> list[cards.Metric]:
        return []

    def charts(self) -> list[Chart]:
        return [
            Chart("Simulations", None, "", instead=self._draw),
            *(self._figures(self.summary) if self.summary else ()),
        ]

    def _draw(self) -> None:
        wanted, points, total = self.wanted, self.points, len(self.wanted.tasks())
        running = st.session_state.get(_RUNNING) == wanted.key and bool(wanted.missing(points))
        again = 0.1 if running else None
        if problem := st.session_state.pop(_PROBLEM, None):
            say.error(problem)

        @st.fragment(run_every=again)
        def filling() -> None:
            if st.session_state.get(_RUNNING) == wanted.key:
                try:
                    self._work()
                except DPError as error:
                    st.session_state[_PROBLEM] = str(error)
                    st.session_state[_RUNNING] = None
                    st.rerun()
            done = total - len(wanted.missing(points))
            self._show(self.summary, running)
            say.progress(done / total, text=f"{done} of {total} data sets")
            if running and done == total:
                st.session_state[_RUNNING] = None
                st.rerun()

        figures, hand = st.container(), st.container()
        with hand:  # drawn first, so that it is on the page whatever comes between this run and its end
            self._button(running)
        with figures:
            filling()
        st.fragment(lambda: cards.metric_row(study_cards.metrics(self.state, self.summary)), run_every=again)()

    def _button(self, running: bool) -> None:
        finished = not self.wanted.missing(self.points)
        start = "Finished" if finished else "Continue" if self.points else "Run"
        with st.container(horizontal=True, vertical_alignment="center"):
            say.button(  # one key for all labels: with two keys, an early rerun would leave the old button on the page
                "Stop" if running else start, key="na_run", type="secondary" if running else "primary",
                icon=":material/stop:" if running else ":material/check:" if finished else ":material/play_arrow:",
                on_click=st.session_state.update, args=({_RUNNING: None if running else self.wanted.key},), disabled=finished,
                width=140,
            )  # fmt: skip
            say.caption("What is finished stays when a control moves.")

    def _work(self) -> None:
        """Fit for about `_PIECE` seconds; an unfinished data set waits in the session until the next call."""
        started, key = time.monotonic(), (self.wanted.key, self.wanted.epsilons, self.wanted.repeats)
        # A plain dict, so that a run that Streamlit has abandoned can still put its unfinished work back.
        waiting = st.session_state.setdefault(_PENDING, {})
        fits = waiting.pop(key, None) or self.wanted.fits(dict(self.points))
        waiting.clear()
        for point in fits:
            if point is not None:
                self.points[point.key] = point
            if time.monotonic() - started > _PIECE:
                waiting[key] = fits
                return

    def _show(self, summary: simulation.Summary | None, running: bool) -> None:
        if summary is None:
            hint = "The first repeat is under way" if running else "Press Run, which can be stopped at any time"
            say.info(f"No repeat is finished yet. {hint}: {self._asked()}.")
            return
        if self.state.figure == "selection" and not self.state.simulated:
            say.caption(
                "Which coefficients of a loaded file are truly 0 is unknown, so that selection has no score; the error is shown."
            )
        drawn = self._figures(summary)
        for column, chart in zip(st.columns(len(drawn), gap="small"), drawn, strict=True):
            with column:
                show_chart(chart.figure, key=f"na_{chart.title}", alt=chart.alt)

    def _asked(self) -> str:
        """What will be computed, in words."""
        state = self.state
        drawn = "" if state.figure == "budget" else f", drawn at ε = {number(state.show)}"
        noise = f"Gaussian noise at δ = {number(state.delta)}" if state.delta else "spherical Laplace noise"
        clip = "" if state.simulated else f", gradients of at most {number(state.clip)}"
        return f"ε = {', '.join(map(number, state.epsilons))}{drawn}, {noise}{clip}"

    def _figures(self, summary: simulation.Summary) -> list[Chart]:
        """The charts of the chosen figure, which the fragment shows."""
        state, mode, methods = self.state, cards.theme_mode(), _SHOWN[self.state.figure]
        epsilon = state.show if state.show in summary.epsilons else max(summary.epsilons)
        loss = LOSSES[SETTINGS[state.data].loss if state.simulated else state.loss]
        error = "misclassified" if loss.target is BINARY else "mean squared error"
        if state.figure == "budget":
            last = len(summary.strengths) - 1
            printed = {} if state.simulated or not adult.is_adult(state.case) else adult.PRINTED_RATES
            panels = sorted({0, last // 2, last})
            title, asked = "Error against ε", (summary, panels, methods, error, mode)
            return [Chart(title, lambda: figures.budget_figure(*asked, printed=printed), title, share=0)]
        drawn = {}
        if state.figure in ("selection", "recycling") and state.simulated:
            drawn["Selection"] = lambda: figures.selection_figure(summary, epsilon, methods, mode)
        if state.figure != "selection" or not drawn:
            title, score, axis = _SCORES.get(state.figure, ("Prediction error", "prediction error", error))
            drawn[title] = lambda: figures.simulation_figure(summary, score, epsilon, methods, axis, mode)
        named = {f"{title}, ε = {number(epsilon)}": build for title, build in drawn.items()}
        return [Chart(title, build, title, share=0) for title, build in named.items()]

    def data(self) -> pd.DataFrame:
        summary = self.summary
        if summary is None:
            return pd.DataFrame()
        parts = [
            pd.DataFrame({"epsilon": epsilon, "method": method, "strength": summary.strengths}
                         | {score: summary.of(method, score, epsilon) for score in simulation.STUDY_SCORES})
            for epsilon in summary.epsilons
            for method in simulation.COMPARED
        ]  # fmt: skip
        return pd.concat(parts, ignore_index=True)

    def notes(self) -> list[str]:
        """Sentences on what the source leaves open, and on what is chosen here instead."""
        state = self.state
        if state.as_printed:
            train, test = adult.source_split(state.case)
            same = "the same rows, it seems" if adult.same_split(state.case) else "not the same rows, or another order"
            return [
                _sentence("split_printed", train, test, same),
                md("**Λ₀ = 1/ε and T = 80 as printed**, in the limit nₑ → ∞; the curve without privacy is the exact lasso."),
                _sentence("stars_printed_numbers"),
                md("**Ours**: how columns are scaled, and ζ from the row norm; the source prints neither. Repeats differ by b only."),
            ]  # fmt: skip
        return [
            _sentence("none_these_private_curves"),
            _sentence("each_method_shown_point"),
            _sentence("constants_source_leaves_open") if state.simulated else _sentence("choices_source_leaves_open"),
            _sentence("noise"),
        ]
