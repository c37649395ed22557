"""The iterations: their limit, the distance that finitely many rows and steps leave, and the budget to be returned."""

import math

import pandas as pd

from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.figure import paths_figure
from dpcore.exhibits.noise_augmentation.pictures import path_picture, recycling_rounds
from pages.components import say
from pages.components.cards import Metric, theme_mode
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number
from pages.sources.noise_augmentation.state import AugmentationView
from pages.sources.noise_augmentation.view import Trained

_sentence = say.sentences(__file__)


class Paths(Trained):
    """The view of the iterations: paths, and below them distance to the limit, convexity, noise, and recycling."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.rows = state.rows if state.finite else None
        self.picture = state.cached(path_picture, *self.run, state.selection, self.rows, state.limit, state.cut)
        self.rounds, self.cut = None, "" if math.isinf(state.cut) else f", cut={state.cut!r}"
        if self.claimed and state.kind != "bridge":
            self.rounds = state.cached(recycling_rounds, *self.run, state.epsilon, state.selection, state.cut)

    def headline(self) -> str:
        trace = self.picture.trace
        return f"{len(trace.paths)} iterations: {'settled' if trace.converged else 'still moving'}"

    def metrics(self) -> list[Metric]:
        found, trace = self.picture, self.picture.trace
        change = float(trace.percentage_change[-1]) if len(trace.paths) > 1 else 0.0
        return [
            self.guarantee(),
            Metric("Iterations", str(len(trace.paths)), "settled" if trace.converged else "still moving"),
            Metric("Last change of the loss", f"{number(change)} %", f"noise ‖b‖ = {number(found.noise_norm)}"),
            Metric("Retrievable share", f"{100 * found.retrieved:.0f} %", "of (1 − r)ε, claimed" if self.claimed else "not given back"),
        ]  # fmt: skip

    def charts(self) -> list[Chart]:
        found, mode = self.picture, theme_mode()
        below = {"Who gives the convexity (Fig. 2)": lambda: figures.scheme_figure(found, mode)}
        if len(found.apart):
            below["Distance to the limit"] = lambda: figures.apart_figure(found, self.rows, mode)
        if self.state.selection == "vs":
            below["Noise above the cut"] = lambda: figures.noise_figure(found, mode)
        if self.rounds is not None:
            below["Rounds of recycling"] = lambda: figures.rounds_figure(self.rounds, self.state.epsilon, mode)
        paths = Chart(
            "Iterations", lambda: paths_figure(found, mode), "Coefficients over the iterations", "na_paths_chart"
        )
        return [paths, *(Chart(title, build, title, caption=title) for title, build in below.items())]

    def notes(self) -> list[str]:
        state, found, trace = self.state, self.picture, self.picture.trace
        end = md(".")
        if found.limit is not None:
            end = f", off by at most {number(abs(trace.theta - found.limit).max())}."
        flipping = int(trace.oscillating.sum())
        said = [
            _sentence("each_step_plain_ridge"),
            md("**{} coefficients are 0 at the end**; circles mark the exact minimiser", int((trace.theta == 0).sum())) + end,
        ]  # fmt: skip
        if flipping:
            said.append(_sentence("coefficients_flip_their_sign", flipping))
        if state.finite:
            said.append(md("**Fresh rows in every iteration** keep the paths trembling; more rows calm them as 1/√nₑ."))
        said.append(self._worth())
        if len(found.apart):
            with_rows, without = (number(float(values[-1])) for values in (found.apart, found.apart_without))
            rows = md(" with {} rows, {} without", count(state.rows), without) if state.finite else ""
            said.append(
                md("**Distance to the limit after the last iteration: {}**", with_rows) + rows
                + md(". Iterations alone converge at a constant rate; rows leave an error of order 1/√nₑ that no T removes.")
            )  # fmt: skip
        said.append(_sentence("figure_2_from_data", found.alone.min(), 2 * found.floor, 100 * found.retrieved))
        if state.selection == "vs":
            said.append(_sentence("cut_c", int((found.noise < 0).sum())))
        if self.rounds is not None:
            said.append(_sentence("recycling", *self.rounds.budget[[1, -1]], *self.rounds.distance[[0, -1]]))
        return said

    def _worth(self) -> str:
        """A sentence on what the paths mean for the released model."""
        if self.state.variant != "certified":
            return _sentence("jacobians_budget", 100 * self.picture.retrieved)
        if self.state.kind == "ridge":
            return md("**Certified is the exact minimiser**, with b and the quadratic as they are, not as rows.")
        return _sentence("certified_where_circles")

    def data(self) -> pd.DataFrame:
        found = self.picture
        columns = {f"theta{j + 1}": path for j, path in enumerate(found.trace.paths.T)}
        apart = {"distance": found.apart} if len(found.apart) else {}
        return pd.DataFrame({"t": range(1, len(found.trace.paths) + 1), **columns, **apart})
