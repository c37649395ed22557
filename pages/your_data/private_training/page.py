"""Private training: what accuracy a privacy budget buys, live and as a study, and what the solvers cost."""

from pages.components.page import Page
from pages.your_data.private_training import sources, words
from pages.your_data.private_training.asked import Training
from pages.your_data.private_training.live import Live
from pages.your_data.private_training.solvers import Solvers
from pages.your_data.private_training.study import Study

_SHOWN = {"live": Live, "study": Study, "solvers": Solvers}

PAGE = Page(
    title="Private training",
    sentence="What accuracy does a privacy budget buy? Move ε, the noise or the number of rows and watch a hundred private fits, then "
    "compare learners over many splits without tuning anything on the data.",
    headline=lambda shown: shown.headline(),
    prefix="tr",
    state=Training,
    main=lambda asked: {"live": "epsilon", "solvers": "passes"}.get(asked.view, ""),
    study=lambda asked: _SHOWN[asked.view].of(asked),
    presets=words.PRESETS,
    sources=words.SOURCES,
    above=lambda shown: sources.leaks(shown.asked.dataset),
    cards=lambda shown: shown.metrics(),
    confidential=lambda shown: shown.confidential,
    figures=lambda shown: shown.moving(),
    body=lambda shown: shown.body(),
    follows=lambda asked: ("passes",) if asked.view == "solvers" else (),
    notes=lambda shown: shown.notes(),
    more=lambda shown: shown.more(),
    formulas=lambda shown: shown.formulas(),
    program=lambda shown: shown.program(),
    data=lambda shown: shown.frame(),
    file="private_training",
)
