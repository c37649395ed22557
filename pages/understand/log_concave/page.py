"""Log-concave pairs: the Gaussian that dominates every pair of strongly log-concave densities."""

from dpcore.exhibits.log_concave.pair import LogConcavePair
from pages.components import examples, say
from pages.components.page import Page
from pages.understand.log_concave import views
from pages.understand.log_concave.asked import State

_sentence = say.sentences(__file__)

SYMBOLS = _sentence("symbols")

PAGE = Page.of_views(
    views,
    title="Log-concave pairs",
    sentence="Why does a sampler from a curved density hide one record as well as Gaussian noise does? Choose or draw two "
    "densities and see their exact privacy curve stay under the theorem's, and when it touches.",
    prefix="lc",
    state=State,
    main=lambda asked: "draw_mu" if asked.mode == "draw" else "mu",
    study=views.checked,
    presets=examples.read(__file__),
    under=lambda shown: [SYMBOLS],
    formulas=lambda shown: [LogConcavePair.card],
    file="log_concave",
)
