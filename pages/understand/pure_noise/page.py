"""What pure ε-DP costs: the errors of Laplace, staircase and Gaussian noise at equal ε."""

from pages.components import examples
from pages.components.page import Page
from pages.understand.pure_noise import views

PAGE = Page.of_views(
    views,
    title="What pure noise costs",
    sentence="Three kinds of noise hide a record with the same ε. See which errs least for one answer, and why many answers turn "
    "the order round.",
    prefix="pn",
    state=views.State,
    main="epsilon",
    presets=examples.read(__file__),
    follows=lambda shown: ("epsilon",),
    file="pure_noise",
)
