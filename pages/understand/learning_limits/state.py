"""The choices on the learning-limits page, and the base class of its views."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from dpcore.exhibits import learning_limits
from dpcore.exhibits.learning_limits import convexity
from dpcore.profiles import curves
from pages.components import drawing, say, state
from pages.components.say import md
from pages.components.state import When
from pages.components.words import programs

_program = programs(__file__)

VIEWS = {
    "packing": "Packing",
    "finite": "Finite class",
    "sampling": "Sampling",
    "descent": "Gradient descent",
    "convexity": "Convexity",
}
DRAWN = "drawn"
K_RANGE = (0.1, 1e4)
_BINS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]


def _in(*views: str) -> When:
    return lambda asked: asked.view in views


def _is_drawn(asked: Any) -> bool:
    return asked.view == "convexity" and asked.shape == DRAWN


def _is_claimed(asked: Any) -> bool:
    return asked.view == "convexity" and not (asked.shape == DRAWN and asked.true)


@dataclass(frozen=True)
class State:
    """The choices made in the sidebar."""

    view: str = state.one_of("View", VIEWS, "packing")
    epsilon: float = state.log("Privacy budget ε", 0.05, 4.0, 0.5, when=_in("finite", "packing", "descent"))
    size: int = state.whole(md("Hypotheses |H|"), 2, 1000, 100, when=_in("finite"))
    n: int = state.whole("Records n", 10, 10_000, 500, when=_in("finite"))
    beta: float = state.log("Failure probability β", 0.01, 0.5, 0.05, when=_in("finite"))
    noise: float = state.linear(
        "Share of wrong labels", 0.0, 0.45, 0.1, step=0.05, help="0 is the realisable setting", when=_in("finite")
    )
    learner: str = state.one_of(
        "Learner", {key: name for key, (name, *_) in learning_limits.PACKING_LEARNERS.items()},
        next(iter(learning_limits.PACKING_LEARNERS)), menu=True, when=_in("packing"),
    )  # fmt: skip
    records: int = state.linear("Records n", 2, 60, 4, step=2, when=_in("packing"))
    bins: int = state.control(
        256, lambda asked, key: say.select_slider("Bins k", _BINS, value=256, key=key), when=_in("packing")
    )
    edits: int = state.one_of(
        "Replacing one record is", {2: "2 edits", 1: "1 edit"}, 2, when=_in("packing"),
        help="Two where records are added and removed: then all data sets are compared with that without records. One where a "
        "record is replaced: then with data set 1. The learners here are ε-DP under adding and removing.",
    )  # fmt: skip
    people: int = state.whole("Records n", 50, 2000, 500, when=_in("descent"))
    dimension: int = state.whole("Dimension d", 1, 50, 5, when=_in("descent", "sampling"))
    steps: int = state.whole("Steps T", 1, 200, 50, when=_in("descent"))
    k: float = state.log("Inverse temperature k", *K_RANGE, 50.0, when=_in("sampling"))
    shape: str = state.one_of(
        "Function f", {key: shape.name for key, shape in convexity.SHAPES.items()} | {DRAWN: "Your own drawing"},
        next(iter(convexity.SHAPES)), menu=True, when=_in("convexity"),
        help="Your own drawing: drag the handles in the picture.",
    )  # fmt: skip
    ridge: float = state.linear("Ridge λ₀", 0.0, 1.0, 0.2, step=0.05, help="Adds (λ₀/2)y² to f", when=_in("convexity"))
    x: float = state.linear(
        "Touching point x", -4.0, 4.0, 1.0, step=0.1, help="Also the large handle on the curve: drag it.",
        when=_in("convexity"),
    )  # fmt: skip
    z: float = state.linear(
        "Chord from x to z", -4.0, 4.0, -3.0, step=0.1, help="f is convex where no chord is cut by it.",
        when=_in("convexity"),
    )  # fmt: skip
    heights: tuple[float, ...] = state.control(
        tuple(convexity.VALLEY),
        lambda asked, key: drawing.heights("Heights of f", convexity.VALLEY, 0.0, convexity.SHAPE_HIGHEST, key=key),
        when=_is_drawn,
    )
    true: bool = state.toggle("Claim the true constants", default=True, when=_is_drawn)
    convexity: float = state.linear("Claimed strong convexity λ", 0.0, 3.0, 0.2, step=0.05, when=_is_claimed)
    smoothness: float = state.linear("Claimed smoothness β", 0.0, 3.0, 1.2, step=0.05, when=_is_claimed)
    lipschitz: float = state.linear("Claimed Lipschitz constant L", 0.0, 5.0, 2.8, step=0.1, when=_is_claimed)


@dataclass(frozen=True)
class View:
    """Base class of the views; each has its own card, headline, metrics, charts, notes, data and program."""

    asked: State
    columns: ClassVar[tuple[str, str]] = ("n", "excess risk")  # names of the two columns of its data

    def data(self) -> pd.DataFrame:
        """The data behind the chart."""
        return curves.table(self.found, *self.columns)

    def program(self) -> str:
        """The lines of dpcore that make these numbers."""
        return _program(self.asked.view, view=self, asked=self.asked)

    def under(self) -> str:
        """A sentence below the cards, if there is one."""
        return ""

    def below(self) -> None:
        """Show what belongs under the main control; here nothing."""
