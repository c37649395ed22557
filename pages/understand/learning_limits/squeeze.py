"""The convexity view: a picture in which the function and the touching point can be dragged."""

from functools import cached_property

import pandas as pd

from dpcore.exhibits import learning_limits
from dpcore.exhibits.learning_limits import convexity
from dpcore.exhibits.learning_limits import figure as figures
from dpcore.figures.theme import THEMES
from dpcore.profiles import curves
from pages.components import cards, drawing, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number
from pages.understand.learning_limits.state import DRAWN, View

_sentence = say.sentences(__file__)


# A slope smaller than this at the smallest grid point counts as 0. Doubled, a minimum at an end of the interval
# with a slope of up to 0.02 would be called a point where f′ = 0.
_FLAT = 0.01


class Squeezed(View):
    """A function (chosen by name or drawn), the point where it is touched, and the constants claimed for it."""

    card = learning_limits.CONVEXITY_CARD

    @property
    def drawn(self) -> bool:
        return self.asked.shape == DRAWN

    @property
    def shape(self) -> str:
        """The function as the program makes it."""
        return f"convexity.drawn_shape({self.asked.heights!r})" if self.drawn else repr(self.asked.shape)

    @cached_property
    def base(self) -> convexity.Shape:
        return convexity.drawn_shape(self.asked.heights) if self.drawn else convexity.SHAPES[self.asked.shape]

    @cached_property
    def claims(self) -> tuple[float, float, float]:
        """Strong convexity, smoothness and Lipschitz constant: those claimed or, if so chosen, the true ones."""
        if not (self.drawn and self.asked.true):
            return self.asked.convexity, self.asked.smoothness, self.asked.lipschitz
        least, largest, steepest, _ = convexity.constants(self.base, self.asked.ridge)
        return max(least, 0.0), max(largest, 0.0), steepest

    @cached_property
    def found(self) -> convexity.Sandwich:
        return convexity.sandwich(self.base, self.asked.ridge, self.asked.x, *self.claims)

    @cached_property
    def chord(self) -> convexity.Chord:
        return convexity.chord(self.base, self.asked.ridge, self.asked.x, self.asked.z)

    def headline(self) -> str:
        """Which claims hold."""
        failed = list(self.found.failures)
        return f"Not {' and not '.join(failed)} with these constants" if failed else "All three claims hold, everywhere"

    def metrics(self) -> list[cards.Metric]:
        """Cards for the true value of each constant, with whether the claim holds, and for the slope at x."""
        found, (least, slope) = self.found, convexity.minimiser(self.base, self.asked.ridge)
        bent, smooth, steep = self.claims
        return [
            cards.Metric("Strong convexity", number(found.convexity), _verdict(found, "strongly convex", bent)),
            cards.Metric("Smoothness", number(found.smoothness), _verdict(found, "smooth", smooth)),
            cards.Metric("Lipschitz constant", number(found.lipschitz), _verdict(found, "Lipschitz", steep)),
            cards.Metric(
                "Slope f′(x)",
                number(found.slope),
                f"0 at x* = {number(round(least, 2))}" if abs(slope) < _FLAT else "least at an end",
                help="First-order condition: where f is convex, f′(x*) = 0 there and only there f is smallest.",
            ),
        ]

    def charts(self) -> list[Chart]:
        """The chart of f between its bounds; on the screen it has handles."""
        mode, found, x = cards.theme_mode(), self.found, self.asked.x
        return [
            Chart("Sandwich", lambda: figures.sandwich_figure(found, self.chord, x, found.height(x), mode), "",
                  instead=lambda: _picture(self))
        ]  # fmt: skip

    def data(self) -> pd.DataFrame:
        """The data behind the chart."""
        found = self.found
        return curves.table(
            [found.function, found.tangent, self.chord.curve, found.below, found.above], "y", "value"
        )  # fmt: skip

    def notes(self) -> list[str]:
        """Sentences computed from what is on the screen."""
        found = self.found
        cut = "Between x and z this one does: move either end."
        if self.chord.failure is not None:
            cut = _sentence("chord_cut", self.chord)
        broken = ", ".join(f"{name} at y = {number(where)}" for name, where in found.failures.items())
        return [
            _convexity_words(self),
            _sentence("claim_must_hold_every", "A claim fails: " + broken if broken else "At this x every claim holds"),
            _sentence("convex_f_lies_above", cut),
            _sentence("strong_convexity_parabola_below"),
            _sentence("why_privacy_cares"),
            _sentence("ridge_adds_exactly_every"),
        ]


def _picture(shown: Squeezed) -> None:
    """Draw f and its bounds, with the handle of the touching point and those of a drawn function."""
    found = shown.found
    low, high = found.window
    if shown.drawn:
        low, high = -1.0, max(convexity.SHAPE_HIGHEST + 0.5, 1.05 * float(found.function.y.max()))
    lines = [
        drawing.Line(curve, color, dash, width, name)
        for name, curve, color, dash, width in figures.sandwich_lines(found, shown.chord)
    ]
    reach = convexity.HALF_WIDTH
    touching = drawing.Handles(
        "ll_x", "Touching point x", THEMES[cards.theme_mode()].text, (), (shown.asked.x,), -reach, reach, 0.1, "f"
    )  # fmt: skip
    handles = [touching]
    if shown.drawn:
        lift = [shown.asked.ridge / 2 * x**2 for x in convexity.SHAPE_HANDLES]
        pulling = drawing.Handles(
            "ll_heights", "f", figures.SHAPE, convexity.SHAPE_HANDLES, shown.asked.heights, 0.0, convexity.SHAPE_HIGHEST, 0.05, lift=lift
        )  # fmt: skip
        handles = [pulling, touching]
    hint = "Drag the large handle along the curve" + (
        ", the blue ones (they pull the curve) up and down, or sweep over the picture. Arrow keys work too."
        if shown.drawn
        else ", or use the arrow keys."
    )
    drawing.show(
        drawing.Drawing(
            "A function between the parabolas and the cone of its constants", (-4.0, 4.0), (low, high), "y", "f(y)", lines, handles,
            marks={f"✕ not {name}": where for name, where in found.failures.items()}, mark_color=figures.FAILURE, height=345, hint=hint,
        ),
        key="ll_drawing",
    )  # fmt: skip


def _convexity_words(shown: Squeezed) -> str:
    """Whether f is convex, and where it is not."""
    found = shown.found
    if not found.dents:
        return md("**f is convex on the whole interval**: its curvature is nowhere below {:.3g}.", found.convexity)
    places = " and ".join(f"from {low:.1f} to {high:.1f}" for low, high in found.dents).replace("-", "−")
    return _sentence("not_convex", places)


def _verdict(found: convexity.Sandwich, name: str, claimed: float) -> str:
    if found.dents and name == "strongly convex":
        return "not convex"
    return f"claim {number(claimed)} fails here" if name in found.failures else f"claim {number(claimed)} holds here"
