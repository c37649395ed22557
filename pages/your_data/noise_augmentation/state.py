"""Sidebar of the noise-augmentation page and the choice it amounts to."""

import math
from dataclasses import dataclass
from typing import Any

from dpcore.audit import napp as audit
from dpcore.data import Dataset
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, Case, example, from_dataset
from dpcore.learners.napp import NoiseAugmentedLearner, Regularizer, augmentable
from pages.components import cache, controls, data_input, losses, say
from pages.components.say import md
from pages.your_data.noise_augmentation import options

VIEWS = {
    "rows": "Rows",
    "realised": "Regulariser",
    "paths": "Iterations",
    "private": "Is this private?",
    "study": "Simulations",
    "theory": "Utility theory",
    "sizes": "Noise and sample size",
}
KINDS = {"ridge": "Ridge", "lasso": "Lasso", "elastic_net": "Elastic net", "bridge": "Bridge"}
VARIANTS = {"certified": "Certified", "moor": "MOOR (max)", "sum": md("Sum (Claim 2)")}
DATA = {key: f"Table 4, {setting.title}" for key, setting in SETTINGS.items()} | {"upload": "Sample or upload"}
LOSSES = tuple(name for name, loss in losses.LOSSES.items() if augmentable(loss))
FIGURES = {
    "distance": "Distance to the lasso (Fig. 3)",
    "selection": "Selection ROC (Fig. 4)",
    "prediction": "Prediction error (Fig. 5)",
    "budget": "Error against ε (Fig. 6)",
    "retrieval": "Retrieved budget (Fig. 7)",
    "recycling": "Recycling (Fig. 8)",
}
_WITH_DATA = ("rows", "paths", "study", "theory", "sizes")


@dataclass(frozen=True)
class AugmentationView:
    """What the sidebar asks to see."""

    view: str
    data: str = "linear"
    size: str = "small"
    loss: str = "logistic"
    clip: float = 1.0
    kind: str = "lasso"
    kappa: float = 0.5
    gamma: float = 1.5
    strength: float = 3.0
    epsilon: float = 1.0
    delta: float = 0.0
    variant: str = "certified"
    printed: bool = False
    selection: str = "none"
    rows: int = 400
    finite: bool = True
    limit: int = 80
    second: bool = False
    attacked: str = "moor"
    target: float = 2.0
    others: int = 0
    after: int = 0
    figure: str = "selection"
    full: bool = False
    as_printed: bool = False
    cut: float = -math.inf
    allowed: float = 1.0
    constant: float = 1.0
    dataset: Dataset | None = None

    @property
    def regularizer(self) -> Regularizer:
        """The target regulariser."""
        return Regularizer(self.kind, self.strength, self.kappa, self.gamma)

    @property
    def n(self) -> int:
        """Records of a simulated data set."""
        return SETTINGS[self.data].sizes[self.size == "large"]

    @property
    def simulated(self) -> bool:
        """Whether the data are drawn from Table 4."""
        return self.data in SETTINGS

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Values of ε in a study."""
        return options.epsilons(self.full, self.simulated)

    @property
    def scenario(self) -> audit.Scenario:
        """The one-dimensional pair under attack."""
        return audit.Scenario(self.epsilon, self.strength, self.target, self.others)

    def case(self) -> Case | None:
        """The data with their constants; None while there are none."""
        if self.simulated:
            return cache.shared(example, self.data, self.n)
        return None if self.dataset is None else cache.in_session(from_dataset, self.dataset, self.loss, self.clip)

    def learner(self, case: Case) -> NoiseAugmentedLearner:
        """The learner of these choices; what is not certified is refused with the reason."""
        certified = self.variant == "certified"
        return NoiseAugmentedLearner(
            case.loss, self.epsilon, self.delta, self.regularizer, self.variant,
            selection="none" if certified else self.selection, weights="printed" if self.printed and not certified else "corrected",
            clip=case.clip,
        )  # fmt: skip


def sidebar(main: Any) -> AugmentationView:
    """All controls of the chosen view; an upload is shown in `main`."""
    view = say.selectbox("View", list(VIEWS), format_func=VIEWS.get, key="na_view")
    chosen: dict[str, object] = {"view": view}
    if view in _WITH_DATA:
        chosen |= _data(view, main)
    if view == "study":
        chosen["figure"] = say.selectbox("Figure", list(FIGURES), index=1, format_func=FIGURES.get, key="na_figure")
    if view == "private":
        names = audit.GAME_VARIANTS
        chosen["attacked"] = say.selectbox("Variant", list(names), index=1, format_func=names.get, key="na_attacked")
    if view in ("rows", "paths"):
        chosen["variant"] = say.segmented_control(
            "Variant", list(VARIANTS), format_func=VARIANTS.get, default="certified", required=True, key="na_variant",
            help="Certified: the sum form with a guarantee that holds. The other two carry the source's claim, which fails.",
        )  # fmt: skip
    if view in ("rows", "realised", "paths", "theory", "sizes"):
        chosen |= _regularizer(view, chosen.get("variant", "certified") == "certified")
    if view not in ("rows", "study") or _weighs_at_once(chosen):
        chosen["strength"] = controls.log_slider(
            "Regularisation Λ", 0.01, 200.0, 3.0, key="na_strength", help="Sum form"
        )
    if view != "study":
        chosen["epsilon"] = controls.log_slider("Budget ε (nats)", 0.05, 8.0, 1.0, key="na_epsilon")
    if view in _WITH_DATA and (chosen["data"] != "upload" or chosen["dataset"] is not None):
        chosen |= _noise()
    if view in ("realised", "study") or chosen.get("variant", "certified") != "certified":
        chosen["printed"] = say.toggle(
            "Printed weights",
            key="na_printed",
            help="Table 2 as printed: the iteration reaches the lasso at 2Λ.",
        )
    return AugmentationView(**(chosen | options.rest(view, chosen)))


def _data(view: str, main: Any) -> dict[str, object]:
    data = say.selectbox("Data", list(DATA), format_func=DATA.get, key="na_data")
    if data != "upload":
        small, large = SETTINGS[data].sizes
        size = say.segmented_control(
            "Records n", ["small", "large"], format_func={"small": str(small), "large": str(large)}.get, default="small",
            required=True, key="na_size",
        )  # fmt: skip
        return {"data": data, "size": size}
    loss = say.selectbox("Loss", LOSSES, format_func=losses.title, key="na_loss")
    chosen: dict[str, object] = {"data": data, "loss": loss, "dataset": data_input.choose(main)}
    if chosen["dataset"] is not None:
        chosen["clip"] = controls.log_slider(
            "Gradient bound ζ", 0.1, 10.0, 1.0, key="na_clip", help="Where the loss has no bound, it is clipped."
        )
    return chosen


def _weighs_at_once(chosen: dict[str, object]) -> bool:
    """Whether Λ is in the rows: in the first iteration only through a square, whose weight does not wait for a fit."""
    return chosen.get("kind") in ("ridge", "elastic_net") or bool(chosen.get("second"))


def _regularizer(view: str, certified: bool) -> dict[str, object]:
    kinds = [kind for kind in KINDS if kind != "bridge" or view in ("realised", "paths", "rows")]
    kind = say.selectbox("Regulariser", kinds, index=1, format_func=KINDS.get, key="na_kind")
    chosen: dict[str, object] = {"kind": kind}
    if view == "rows" and kind != "ridge" and not certified:
        chosen["second"] = say.toggle("Second iteration", key="na_second", help="Weights from the first fit.")
    if kind == "elastic_net":
        chosen["kappa"] = controls.linear_slider("Share of the square κ", 0.05, 0.95, 0.5, step=0.05, key="na_kappa")
    if kind == "bridge" and (view != "rows" or chosen.get("second")):
        chosen["gamma"] = controls.linear_slider("Bridge γ (power 2 − γ)", 0.1, 1.9, 1.5, step=0.1, key="na_gamma")
    return chosen


def _noise() -> dict[str, object]:
    kind = say.segmented_control(
        "Noise", ["spherical", "gaussian"], default="spherical", required=True, key="na_noise",
        format_func={"spherical": "Spherical Laplace", "gaussian": "Gaussian"}.get,
    )  # fmt: skip
    return {"delta": controls.delta_slider(key="na_delta", default=-4) if kind == "gaussian" else 0.0}
