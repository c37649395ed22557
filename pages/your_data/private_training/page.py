"""Private training: what accuracy a privacy budget buys, live and as a study, and what the solvers cost."""

from typing import Any

from pages.components import examples
from pages.components.page import Page
from pages.your_data.private_training import sources
from pages.your_data.private_training.asked import Training
from pages.your_data.private_training.live import Live
from pages.your_data.private_training.solvers import Solvers
from pages.your_data.private_training.sources import GENERATED
from pages.your_data.private_training.study import Study
from pages.your_data.private_training.view import View

_SHOWN = {"live": Live, "study": Study, "solvers": Solvers}


def _main(asked: Any) -> str:
    """The budget, or by hand the noise."""
    by_hand = {"rule": "epsilon", "hand": "sigma"}
    return "passes" if asked.view == "solvers" else by_hand.get(getattr(asked, "how", ""), "")


def _following(shown: View) -> dict[str, Any]:
    """Generated data are nobody's: their frames serve all. Those of other data are computed for whoever reaches for the slider."""
    public = shown.asked.view == "solvers" or shown.asked.data in GENERATED
    return {"public": True} if public else {"public": False, "ahead": []}


PAGE = Page.of_views(
    title="Private training",
    sentence="What accuracy does a privacy budget buy? Move ε, the noise or the number of rows and watch a hundred private fits, then "
    "compare learners over many splits without tuning anything on the data.",
    prefix="tr",
    state=Training,
    main=_main,
    study=lambda asked: _SHOWN[asked.view].of(asked),
    presets=examples.read(__file__),
    above=lambda shown: sources.leaks(shown.asked.dataset),
    confidential=lambda shown: shown.confidential,
    figures=lambda shown: shown.moving(),
    body=lambda shown: shown.body(),
    follows=lambda asked: () if asked.view == "study" else (_main(asked),),
    following=_following,
    more=lambda shown: shown.more(),
    file="private_training",
)
