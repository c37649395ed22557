"""The sampling view: how much f at a draw from e^{−kf} exceeds its minimum, where that is known exactly."""

from functools import cached_property

from dpcore.exhibits.learning_limits import figure as figures
from dpcore.exhibits.learning_limits import sampling
from dpcore.profiles import curves
from pages.components import cache, cards, controls, path, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number
from pages.understand.learning_limits.state import K_RANGE, View

_sentence = say.sentences(__file__)


class Sampling(View):
    """Dimension and inverse temperature of the draw."""

    card = sampling.SAMPLING_CARD
    columns = "k", "excess"

    @cached_property
    def lost(self) -> dict[str, float]:
        return {
            name: float(sampling.excess_of_draw(name, self.asked.dimension, self.asked.k)) for name in sampling.BODIES
        }

    def headline(self) -> str:
        """The most that a draw can lose, and what it loses on the hardest body."""
        bound = self.asked.dimension / self.asked.k
        return f"A draw loses at most d/k = {number(bound)}; on a cone {number(self.lost['cone'])}"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the bound, and for the excess on three bodies."""
        bound = self.asked.dimension / self.asked.k
        return [cards.Metric("Bound d/k", number(bound))] + [
            cards.Metric(sampling.BODIES[name].title, number(self.lost[name]), f"{100 * self.lost[name] / bound:.3g} % of the bound",
                         help=md("E f − min f where f is {}.", sampling.BODIES[name].words))
            for name in ("cone", "ball", "bowl")
        ]  # fmt: skip

    def below(self) -> None:
        """Show the links to the pages that go further."""
        path.show(path.SAMPLING, path.LIMITS)

    @property
    def found(self) -> list[curves.Curve]:
        return cache.shared(sampling.sampling_curves, self.asked.dimension, controls.round_values(*K_RANGE))

    def charts(self) -> list[Chart]:
        """A chart of the excess against k."""
        return [
            Chart("Sampling", lambda: figures.sampling_figure(self.found, self.asked.k, cards.theme_mode()),
                  "Excess of a draw over the minimum against k, and the bound", "ll_sampling")
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        lost, bound = self.lost, self.asked.dimension / self.asked.k
        return [
            _sentence("draw_costs", bound, lost["cone"], 100 * lost["cone"] / bound),
            _sentence("bound_attained_by_cones"),
            _sentence("left_where_k_small"),
            _sentence("price_privacy_here"),
            _sentence("proof_adds_dimension"),
        ]
