"""The packing view: k data sets that no private learner can all satisfy."""

from dpcore.exhibits import learning_limits
from dpcore.exhibits.learning_limits import figure as figures
from dpcore.profiles import curves
from pages.components import cache, cards, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number
from pages.understand.learning_limits.state import View

_sentence = say.sentences(__file__)

RECORDS = (2, 4, 6, 8, 12, 16, 24, 32, 40, 50, 60)


class Packed(View):
    """The bins and data sets, and the learner put to the test."""

    card = learning_limits.PACKING_CARD
    columns = "n", "worst-case success"

    @property
    def packing(self) -> learning_limits.Packing:
        return learning_limits.Packing(self.asked.bins, self.asked.records, self.asked.epsilon, self.asked.edits)

    @property
    def name(self) -> str:
        return learning_limits.PACKING_LEARNERS[self.asked.learner][0]

    @property
    def replaced(self) -> bool:
        return self.packing.edits == 1

    @property
    def where(self) -> str:
        return "data set 1" if self.replaced else "no records"

    @property
    def success(self) -> float:
        return cache.shared(learning_limits.worst_success, self.packing, self.asked.learner)

    def headline(self) -> str:
        """Whether the bins hold more than there is."""
        packing = self.packing
        if packing.contradiction:
            return f"Impossible: {count(packing.bins)} bins need probability {number(packing.held)}, there is 1"
        return f"Not impossible: {count(packing.bins)} bins need probability {number(packing.held)} of 1"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the three steps of the argument, and for the learner put to the test."""
        packing = self.packing
        so_many = f"{'from' if packing.contradiction else 'would need'} k = {count(packing.bins_needed)}"
        return [
            cards.Metric("Success needed", number(learning_limits.SUCCESS), "for an error below 0.45"),
            cards.Metric("All bins must hold", number(packing.held), "of probability 1"),
            cards.Metric("Contradiction", "yes" if packing.contradiction else "no", f"{so_many} bins"),
            cards.Metric(f"{self.name}", number(self.success), f"limit {number(packing.limit)}",
                         help="Worst-case probability of success of this learner, and what that of no ε-DP learner exceeds."),
        ]  # fmt: skip

    def under(self) -> str:
        """A sentence on the probability that all bins hold together, or on the first bin that does not fit."""
        held = learning_limits.bins_filled(self.packing)
        if held.overflowing is None:
            return md("All bins together hold **{!n}**: no contradiction.", held.total)
        return _sentence("bin_does_not_fit", held.overflowing, held.total)

    @property
    def found(self) -> list[curves.Curve]:
        packing = self.packing
        return cache.shared(learning_limits.success_curves, packing.bins, packing.epsilon, RECORDS, packing.edits)

    def charts(self) -> list[Chart]:
        """Charts of the filled bins, of the output law of the learner, and of the success of every learner."""
        mode, packing = cards.theme_mode(), self.packing
        return [
            Chart("Filling", lambda: figures.filling_figure(learning_limits.bins_filled(packing), mode),
                  "Probability forced into each bin, added up until it is more than 1", "ll_filling",
                  caption=_sentence("why_each_bin", self.where if self.replaced else "the empty data set")),
            Chart("Packing", lambda: figures.bins_figure(
                      packing, cache.shared(learning_limits.law_on_reference, packing, self.asked.learner), self.name, mode),
                  "Probability of each bin on the data set compared with", "ll_packing"),
            Chart("Success", lambda: figures.success_figure(self.found, packing.n, mode),
                  "Worst-case success of each learner against n", "ll_success"),
        ]  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        packing = self.packing
        end = (
            _sentence("contradiction")
            if packing.contradiction
            else _sentence("no_contradiction", count(packing.bins_needed))
        )
        survives = float(packing.forced[1]) / learning_limits.SUCCESS
        return [
            _sentence("set_up", packing.bins, packing.n),
            _sentence("success_means_hitting_bin"),
            _sentence("group_privacy", self.where, packing.n, "all change" if self.replaced else "go", survives),
            _sentence("adding_up", packing.bins, packing.held, self.where, end),
            _sentence("real_learners_run_here", self.name, self.success, packing.limit),
            _sentence("lecture_asks_for_probability"),
        ]
