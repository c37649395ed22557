"""Home: the picture with a game beside it, the chance of a right guess, and links to three other pages."""

from dpcore.exhibits.home import study as home
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import table
from pages.components import live, words
from pages.components.page import Page
from pages.understand.home import picture, views
from pages.understand.home.picture import State

PAGE = Page.of_views(
    views,
    title="See differential privacy",
    sentence="A privacy guarantee is a curve, not a slogan: it says how much an attacker who sees the output can still learn about one "
    "person.",
    headline=lambda shown: (
        f"The best guess about Ada is right {100 * home.ceiling(shown.mechanism):.1f}\u00a0% of the time"
    ),
    prefix="home",
    state=State,
    main="sigma",
    figures=picture.charts,
    notes=lambda shown: views.NOTES,
    formulas=lambda shown: [Gaussian.card],
    program=lambda shown: words.programs(__file__)("game", shown=shown),
    data=lambda shown: table(list(shown.bells), "x", "density"),
    more=lambda shown: {"Data": None},
    follows=lambda shown: ("sigma", "threshold"),
    taken=lambda follows: live.taken(follows, "home_sigma", "σ =", {"Best attacks": "home_chart"}),
    file="home",
)
