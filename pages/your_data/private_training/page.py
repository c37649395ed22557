"""Private training: the accuracy that a privacy budget allows (live and as a study), and the cost of the solvers."""

from typing import Any

from pages.components import examples
from pages.components.page import Page
from pages.your_data.private_training import sources
from pages.your_data.private_training.asked import Training
from pages.your_data.private_training.exposure import Exposure
from pages.your_data.private_training.live import Live
from pages.your_data.private_training.solvers import Solvers
from pages.your_data.private_training.sources import GENERATED
from pages.your_data.private_training.study import Study
from pages.your_data.private_training.view import View

_SHOWN = {"live": Live, "study": Study, "rows": Exposure, "solvers": Solvers}


def _main(asked: Any) -> str:
    """The name of the slider under the figure: the budget, the noise if it is set by hand, or the passes of solvers."""
    by_hand = {"rule": "epsilon", "hand": "sigma"}
    always = {"solvers": "passes", "rows": "epsilon"}
    return always.get(asked.view) or by_hand.get(getattr(asked, "how", ""), "")


def _following(shown: View) -> dict[str, Any]:
    """How frames are computed. Those of generated data, which are nobody's, are shared by all sessions.

    Those of other data are computed only when a reader reaches for the slider.
    """
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
    follows=lambda asked: () if asked.view in ("study", "rows") else (_main(asked),),
    following=_following,
    more=lambda shown: shown.more(),
    file="private_training",
)
