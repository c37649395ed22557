"""Learning limits: what privacy costs on finite classes, and what cannot be learned privately at all."""

from pages.components import examples
from pages.components.page import Page
from pages.understand.learning_limits.descent import Descent
from pages.understand.learning_limits.finite import Finite
from pages.understand.learning_limits.packing import Packed
from pages.understand.learning_limits.sampling import Sampling
from pages.understand.learning_limits.squeeze import Squeezed
from pages.understand.learning_limits.state import State

VIEWS = {"finite": Finite, "packing": Packed, "sampling": Sampling, "descent": Descent, "convexity": Squeezed}
MAIN = {"sampling": "k", "convexity": "x"}  # for each view the slider under the figure; in the other views it is ε

PAGE = Page.of_views(
    title="Learning limits",
    sentence="When is privacy free for a learner, when does it dominate, and which simple tasks can no private learner ever solve? "
    "Choose the numbers and see the argument close, with real private learners beside it.",
    prefix="ll",
    state=State,
    main=lambda asked: MAIN.get(asked.view, "epsilon"),
    study=lambda asked: VIEWS[asked.view](asked),
    presets=examples.read(__file__),
    under=lambda view: filter(None, [view.under()]),
    below=lambda view: view.below(),
    formulas=lambda view: [view.card],
    follows=lambda asked: () if asked.view == "convexity" else (MAIN.get(asked.view, "epsilon"),),
    file="learning_limits",
)
