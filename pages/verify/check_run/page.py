"""Check my run: the certified bracket of a run that another tool accounted for, beside what the tool said."""

from pages.components import examples
from pages.components.page import Page
from pages.verify.check_run import views

PAGE = Page.of_views(
    views,
    title="Check my run",
    sentence="Paste what your tool exports, or drop its file. See where the truth lies between two certified sides, beside what the "
    "tool said, and what had to be assumed. Nothing in it is run.",
    prefix="ck",
    state=views.State,
    main="delta",
    presets=examples.read(__file__),
    under=views.said,
    follows=lambda shown: ("delta",),
    file="check_run",
)
