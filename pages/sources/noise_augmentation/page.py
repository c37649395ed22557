"""Noise augmentation: private training by appended rows, what it realises, and what its guarantee is worth."""

import pandas as pd

from dpcore.learners.napp import Claimed, NoiseAugmentedLearner, SphericalObjectivePerturbation
from pages.components import examples, path, say
from pages.components.page import Page
from pages.sources.noise_augmentation import views
from pages.sources.noise_augmentation.paths import Paths
from pages.sources.noise_augmentation.sizes import Sizes, Theory
from pages.sources.noise_augmentation.state import AugmentationView
from pages.sources.noise_augmentation.story import Story
from pages.sources.noise_augmentation.study import Study
from pages.sources.noise_augmentation.view import View

_VIEWS = {
    "story": Story,
    "rows": views.Rows,
    "realised": views.Realised,
    "paths": Paths,
    "private": views.Private,
    "study": Study,
    "theory": Theory,
    "sizes": Sizes,
}
_MAIN = {"study": "", "realised": "strength", "rows": "rows"}  # the control under the figure
_STORY = ("story", "rows", "realised", "private")
_CONFIDENTIAL = "Computed from your data without privacy protection: this picture is as confidential as the data."
_VERDICTS = {True: "✓ holds here", False: "✕ does not hold here", None: "? not settled yet"}


def _checked(view: View) -> None:
    """Show statements of the source with their verdicts."""
    claims = view.claims
    if not claims:
        say.markdown(
            "Views with statements to check: Regulariser, Is this private?, and Simulations once a part is finished."
        )
        return
    if view.state.view != "study":
        say.caption("At ε = 1 and Λ = 2, for one coefficient under a lasso.")
    rows = [(claim.where, claim.text, _VERDICTS[claim.holds], claim.evidence) for claim in claims]
    say.prose_table(pd.DataFrame(rows, columns=["source", "statement", "verdict", "by computation"]), hide_index=True)


PAGE = Page.of_views(
    title="Noise augmentation",
    sentence="Train a regularised model privately by appending rows of noise to the data. Watch the rows work, see which regulariser they "
    "really realise, and find out which of the published guarantees survives an exact attack.",
    prefix="na",
    state=AugmentationView,
    main=lambda asked: _MAIN.get(asked.view, "epsilon"),
    presets=examples.read(__file__),
    study=lambda state: _VIEWS[state.view](state),
    below=lambda view: path.show(path.NOISE_AS_ROWS, path.AUGMENTATION) if view.state.view in _STORY else None,
    more=lambda view: {"Claims checked": lambda: _checked(view)},
    formulas=lambda view: [NoiseAugmentedLearner.card, SphericalObjectivePerturbation.card, Claimed.card],
    confidential=lambda view: "" if view.state.simulated else _CONFIDENTIAL,
    file="noise_augmentation",
)
