"""The iterations: where they go, how far finitely many rows and steps stay away, and what the source would hand back."""

import math

import pandas as pd

from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.figure import paths_figure
from dpcore.exhibits.noise_augmentation.pictures import path_picture, recycling_rounds
from pages.components.cards import Metric, theme_mode
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number
from pages.sources.noise_augmentation.state import AugmentationView
from pages.sources.noise_augmentation.view import Trained


class Paths(Trained):
    """The paths, then what is left of the distance to the limit, of the convexity needed, of the noise and of the budget."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.rows = state.rows if state.finite else None
        self.picture = state.cached(path_picture, *self.run, state.selection, self.rows, state.limit, state.cut)
        self.rounds = None
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
        end = (
            md(".")
            if found.limit is None
            else f", off by at most {number(float(abs(trace.theta - found.limit).max()))}."
        )
        flipping = int(trace.oscillating.sum())
        said = [
            md("**Each step is a plain ridge**; a coefficient that shrinks gets a larger weight, so that some run to 0 at a constant "
               "rate."),
            md("**{} coefficients are 0 at the end**; circles mark the exact minimiser", int((trace.theta == 0).sum())) + end,
        ]  # fmt: skip
        if flipping:
            said.append(md("**{} coefficients flip their sign to the end**: bᵀ|θ| with b larger than Λ never settles; the source sets "
                           "them to 0.", flipping))  # fmt: skip
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
        said.append(
            md("**Fig. 2 from these data**: the target alone gives each coefficient a convexity of {} or more; 2Λ₀ = {} is needed. The sum "
               "pays 2Λ₀ on top of every bar, the maximum only where a bar is too short. Retrievable is the share of the least total that "
               "lies beyond 2Λ₀, {:.0f} % here.", number(float(found.alone.min())), number(2 * found.floor), 100 * found.retrieved)
        )  # fmt: skip
        if state.selection == "vs":
            said.append(
                md("**Cut c** (Eqs. 9 and 10, c ≤ 0): {} entries of b are negative; each pushes its |θ| away from 0. c = 0 is VS+, no cut "
                   "is VS. With any cut the support of θ moves with the record: no ε holds.", int((found.noise < 0).sum()))
            )  # fmt: skip
        if self.rounds is not None:
            of = [
                float(value)
                for values in (self.rounds.budget[[1, -1]], self.rounds.distance[[0, -1]])
                for value in values
            ]
            said.append(
                md("**Recycling**: the first round scales the noise for {} nats, four for {}, never above ε. The lasso without noise is {} "
                   "away, after four rounds {}. What is retrieved is read off the data.", *map(number, of))
            )  # fmt: skip
        return said

    def _worth(self) -> str:
        """What the paths are worth, against what is released."""
        if self.state.variant != "certified":
            return md("**{:.0f} % of the Jacobian's budget** could be had back, says Proposition 6. The share is read off the private "
                      "data: see 'Is this private?'.", 100 * self.picture.retrieved)  # fmt: skip
        if self.state.kind == "ridge":
            return md("**Certified is the exact minimiser**, with b and the quadratic as they are, not as rows.")
        return md("**Certified is where the circles are**: a release is the exact minimiser. The iterates on the way carry weights read "
                  "off the data, and no guarantee.")  # fmt: skip

    def program(self) -> list[str]:
        state = self.state
        cut = "" if math.isinf(state.cut) else f", cut={state.cut!r}"
        asked = f"selection={state.selection!r}, rows={self.rows}, limit={state.limit}{cut}"
        seen = f"pictures.path_picture(case, chosen['weighting'], chosen['noise'], {asked}).trace.theta"
        return self.data_program() + self.learner_program(seen)

    def data(self) -> pd.DataFrame:
        found = self.picture
        columns = {f"theta{j + 1}": path for j, path in enumerate(found.trace.paths.T)}
        apart = {"distance": found.apart} if len(found.apart) else {}
        return pd.DataFrame({"t": range(1, len(found.trace.paths) + 1), **columns, **apart})
