"""Cross-check: the app's numbers computed again by a route that shares no code with the first."""

from dpcore.mechanisms import MECHANISMS
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from pages.components.page import Page
from pages.verify.cross_check import views

PAGE = Page.of_views(
    views,
    title="Cross-check",
    sentence="Do not take a privacy number on trust: compute it a second way, here and now, and see how many digits agree.",
    prefix="cc",
    state=views.Checked,
    main="epsilon",
    notes=lambda shown: views.EXPLANATION,
    formulas=lambda shown: [MECHANISMS[shown.kind].card, PosteriorSampling.card],
    more=lambda shown: {"All digits": lambda: views.both_tables(shown), "Code": None, "Data": None},
    file="cross_check",
)
