"""The convexity primer: its controls, and a picture whose function and touching point are dragged."""

from dataclasses import dataclass
from functools import cached_property

from dpcore.figures import learning_limits as figures
from dpcore.figures.theme import THEMES
from dpcore.references import FormulaCard
from dpcore.studies import learning_limits
from dpcore.studies.learning_limits import convexity
from pages.components import cards, controls, drawing, say
from pages.components.say import md

HEIGHTS, TOUCH = "ll_heights", "ll_x"
_OWN = "drawn"


@dataclass(frozen=True)
class Squeezed:
    """A function (by name, or nine drawn heights), where it is touched, and the constants claimed for it."""

    shape: str | tuple[float, ...]
    ridge: float
    x: float
    convexity: float
    smoothness: float
    lipschitz: float
    card: FormulaCard = learning_limits.CONVEXITY_CARD

    @property
    def drawn(self) -> bool:
        return isinstance(self.shape, tuple)

    @property
    def base(self) -> convexity.Shape:
        return _base(self.shape)

    @cached_property
    def found(self) -> convexity.Sandwich:
        return convexity.sandwich(self.base, self.ridge, self.x, self.convexity, self.smoothness, self.lipschitz)


def _base(shape: str | tuple[float, ...]) -> convexity.Shape:
    return convexity.drawn_shape(shape) if isinstance(shape, tuple) else convexity.SHAPES[shape]


def squeezed() -> Squeezed:
    """The sidebar's controls."""
    names = {key: shape.name for key, shape in convexity.SHAPES.items()} | {_OWN: "Your own drawing"}
    shape = say.selectbox(
        "Function f", list(names), format_func=names.get, key="ll_shape", bind="query-params", persist_state="session",
        help="Your own drawing: drag the handles in the picture.",
    )  # fmt: skip
    slider = controls.linear_slider
    ridge = slider("Ridge λ₀", 0.0, 1.0, 0.2, step=0.05, key="ll_ridge", help="Adds (λ₀/2)y² to f")
    x = slider(
        "Touching point x", -4.0, 4.0, 1.0, step=0.1, key=TOUCH, help="Also the dark handle on the curve: drag it."
    )
    if shape == _OWN:
        shape = drawing.heights("Heights of f", convexity.VALLEY, 0.0, convexity.HIGHEST, key=HEIGHTS)
        if say.toggle("Claim the true constants", True, key="ll_true", bind="query-params", persist_state="session"):
            least, largest, steepest, _ = convexity.constants(_base(shape), ridge)
            return Squeezed(shape, ridge, x, max(least, 0.0), max(largest, 0.0), steepest)
    return Squeezed(
        shape, ridge, x,
        slider("Claimed strong convexity λ", 0.0, 3.0, 0.2, step=0.05, key="ll_convexity"),
        slider("Claimed smoothness β", 0.0, 3.0, 1.2, step=0.05, key="ll_smoothness"),
        slider("Claimed Lipschitz constant L", 0.0, 5.0, 2.8, step=0.1, key="ll_lipschitz"),
    )  # fmt: skip


def picture(shown: Squeezed) -> None:
    """The curves of the sandwich, with the handles of a drawn function and the one that touches."""
    found = shown.found
    low, high = found.window
    if shown.drawn:
        low, high = -1.0, max(convexity.HIGHEST + 0.5, 1.05 * float(found.function.y.max()))
    lines = [
        drawing.Line(curve, color, dash, width, name)
        for name, curve, color, dash, width in figures.sandwich_lines(found)
    ]
    reach = convexity.HALF_WIDTH
    touching = drawing.Handles(
        TOUCH, "Touching point x", THEMES[cards.theme_mode()].text, (), (shown.x,), -reach, reach, 0.1, "f"
    )  # fmt: skip
    handles = [touching]
    if shown.drawn:
        lift = [shown.ridge / 2 * x**2 for x in convexity.HANDLES]
        pulling = drawing.Handles(
            HEIGHTS, "f", figures.SHAPE, convexity.HANDLES, shown.shape, 0.0, convexity.HIGHEST, 0.05, lift=lift
        )  # fmt: skip
        handles = [pulling, touching]
    hint = "Drag the dark handle along the curve" + (
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


def convexity_words(shown: Squeezed) -> str:
    """Whether f is convex, and where it is not."""
    found = shown.found
    if not found.dents:
        return md("**f is convex on the whole interval**: its curvature is nowhere below {:.3g}.", found.convexity)
    places = " and ".join(f"from {low:.1f} to {high:.1f}" for low, high in found.dents).replace("-", "−")
    return md(
        "**f is not convex: it bends downwards {}.** There the tangent lies above it, no λ ≥ 0 is a valid claim, and a "
        "guarantee that asks for a convex loss says nothing.",
        places,
    )
