"""What the noise-augmentation page asks for: each control once, with the views that show it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpcore.audit import napp as audit
from dpcore.data import Dataset
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, Case, example, from_dataset
from dpcore.learners.napp import SELECTIONS, NoiseAugmentedLearner, Regularizer, augmentable
from pages.components import cache, controls, data_input, losses, say, state
from pages.components.page import NothingToShowError
from pages.components.say import md
from pages.sources.noise_augmentation import printed

VIEWS = {
    "story": "From rows to privacy",
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
_EPSILONS = {  # ε of a study; the key says (whether at full size, whether the data are those of Table 4)
    (True, True): (0.4, 0.6, 0.8, 1.0),
    (True, False): (0.1, 0.4, 0.7, 1.0),
    (False, True): (0.4, 1.0),
    (False, False): (0.1, 1.0),
}
_FULL = {
    True: "500 repeats, four ε and 12 Λ, as in the source; else 12, two and 8.",
    False: "All records, 20 splits and four ε; else 3000 records, 3 splits and two ε.",
}
_ROWS = (40, 100, 200, 400, 1000, 2000, 4000, 10_000)
_CUTS = (-math.inf, -3.0, -2.0, -1.5, -1.0, -0.75, 0.0)
_WITHOUT = "Choose a sample, or upload a CSV or Parquet file (Adult, for Fig. 6), in the sidebar."


def _in(*views: str) -> state.When:
    return lambda asked: asked.view in views


_with_data = _in("rows", "paths", "study", "theory", "sizes")


def _of_table_4(asked: Any) -> bool:
    return asked.data in SETTINGS


def _own(asked: Any) -> bool:
    return not _of_table_4(asked)


def _known(asked: Any) -> bool:
    """Whether there are data."""
    return _with_data(asked) and (_of_table_4(asked) or asked.dataset is not None)


def _noisy(asked: Any) -> bool:
    """Whether noise is added: the figure of distances to the lasso is drawn without noise."""
    return _known(asked) and (asked.view != "study" or asked.figure != "distance")


def _claimed(asked: Any) -> bool:
    return asked.variant != "certified"


def _weighs(asked: Any) -> bool:
    """Whether Λ counts: in the first iteration only the square has a weight that depends on Λ but on no fit."""
    return asked.view not in ("rows", "study") or asked.kind in ("ridge", "elastic_net") or asked.second


def _size(asked: Any, key: str) -> str:
    named = dict(zip(("small", "large"), map(str, SETTINGS[asked.data].sizes), strict=True))
    return say.segmented_control(
        "Records n", list(named), format_func=named.get, default="small", required=True, key=key
    )


def _kind(asked: Any, key: str) -> str:
    bridged = asked.view == "realised" or (asked.view in ("paths", "rows") and _claimed(asked))  # else it is refused
    kinds = [kind for kind in KINDS if kind != "bridge" or bridged]
    return say.selectbox("Regulariser", kinds, index=1, format_func=KINDS.get, key=key)


def _rows(asked: Any, key: str) -> int:
    default = 4000 if asked.view == "paths" else 400
    return say.select_slider("Appended rows nₑ", _ROWS, value=default, key=f"{key}_{default}")


def _limit(asked: Any, key: str) -> int:
    most, default, end = (40, 40, "_finite") if asked.finite else (400, 80, "")
    return controls.count_slider("Iterations T", most, default, key=key + end)


def _among(
    label: str, values: tuple[Any, ...], default: Any, said: Callable[[Any], str], *, when: state.When, help: str
) -> Any:
    """A slider over a few values, each shown by its words."""

    def ask(asked: Any, key: str) -> Any:
        return say.select_slider(label, values, value=default, format_func=said, key=key, help=help)

    return state.control(default, ask, when=when)


def _full(asked: Any, key: str) -> bool:
    return say.toggle("Full size", key=key, help=_FULL[_of_table_4(asked)])


def _show(asked: Any, key: str) -> float:
    of = asked.full, _of_table_4(asked)
    return say.select_slider(md("Show ε ="), _EPSILONS[of], value=1.0, key=f"{key}_{of[0]}_{of[1]}")


@dataclass(frozen=True)
class AugmentationView:
    """The choices made in the sidebar."""

    view: str = state.one_of("View", VIEWS, "story", menu=True)
    data: str = state.one_of("Data", DATA, "linear", menu=True, when=_with_data)
    size: str = state.control("small", _size, when=lambda asked: _with_data(asked) and _of_table_4(asked))
    loss: str = state.one_of("Loss", {name: losses.title(name) for name in LOSSES}, LOSSES[0], menu=True, when=_own)
    dataset: Dataset | None = state.control(None, lambda asked, key: data_input.choose(asked.place), when=_own)
    clip: float = state.log(
        "Gradient bound ζ", 0.1, 10.0, 1.0, help="Where the loss has no bound, it is clipped.",
        when=lambda asked: asked.dataset is not None,
    )  # fmt: skip
    figure: str = state.one_of("Figure", FIGURES, "selection", menu=True, when=_in("study"))
    attacked: str = state.one_of("Variant", audit.GAME_VARIANTS, "moor", menu=True, when=_in("private"))
    variant: str = state.one_of(
        "Variant", VARIANTS, "certified", when=_in("rows", "paths"),
        help="Certified: the sum form with a guarantee that holds. The other two carry the source's claim, which fails.",
    )  # fmt: skip
    kind: str = state.control("lasso", _kind, when=_in("rows", "realised", "paths", "theory", "sizes"))
    second: bool = state.toggle(
        "Second iteration", help="Weights from the first fit.",
        when=lambda asked: asked.view == "rows" and asked.kind != "ridge" and _claimed(asked),
    )  # fmt: skip
    kappa: float = state.linear(
        "Share of the square κ", 0.05, 0.95, 0.5, step=0.05, when=lambda asked: asked.kind == "elastic_net"
    )
    gamma: float = state.linear(
        "Bridge γ (power 2 − γ)", 0.1, 1.9, 1.5, step=0.1,
        when=lambda asked: asked.kind == "bridge" and (asked.view != "rows" or asked.second),
    )  # fmt: skip
    strength: float = state.log("Regularisation Λ", 0.01, 200.0, 3.0, help="Sum form", when=_weighs)
    epsilon: float = state.log("Budget ε (nats)", 0.05, 8.0, 1.0, when=lambda asked: asked.view != "study")
    noise: str = state.one_of(
        "Noise", {"spherical": "Spherical Laplace", "gaussian": "Gaussian"}, "spherical", when=_noisy
    )
    failure: float = state.delta(exponent=-4, key="delta", when=lambda asked: asked.noise == "gaussian")
    printed: bool = state.toggle(
        "Printed weights", help="Table 2 as printed: the iteration reaches the lasso at 2Λ.",
        when=lambda asked: asked.view in ("realised", "study") or _claimed(asked),
    )  # fmt: skip
    finite: bool = state.toggle("Finitely many rows", help=md("Off: the limit nₑ → ∞."), when=_in("paths"))
    rows: int = state.control(400, _rows, when=lambda asked: asked.view in ("story", "rows") or asked.finite)
    limit: int = state.control(80, _limit, when=_in("paths"))
    selection: str = state.one_of(
        "Noise term", SELECTIONS, "none", menu=True, when=lambda asked: asked.view == "paths" and _claimed(asked)
    )
    cut: float = _among(
        "Cut c of the noise, in σ", _CUTS, -math.inf, lambda c: "none" if c < -9 else f"{c:g}", when=lambda asked: asked.selection == "vs",
        help="Entries of b are drawn above c ≤ 0; at 0 this is VS+.",
    )  # fmt: skip
    allowed: float = state.log("Allowed excess ϱ", 0.01, 20.0, 1.0, when=_in("sizes"))
    constant: float = state.log(
        md("Constant C′"), 0.01, 10.0, 1.0, help="Theorem 10 says that it exists, not how large.", when=_in("sizes")
    )
    after: int = _among(
        "After T iterations", (1, 2, 5, 10, 20, 80, 0), 0, lambda t: str(t) if t else "∞",
        when=lambda asked: asked.view == "private" and asked.attacked == "moor",
        help="Theorem 4 is claimed for each iteration. At T = 1 the weights are fixed and it holds.",
    )  # fmt: skip
    target: float = state.linear("Target y of the record", -4.0, 4.0, 2.0, step=0.1, when=_in("private"))
    others: int = state.linear(md("Other records (x = 1, y = 0)"), 0, 40, 0, step=1, when=_in("private"))
    full: bool = state.control(False, _full, when=_in("study"))
    as_printed: bool = state.toggle(
        "As in the source", key="source", when=lambda asked: asked.figure == "budget" and _own(asked),
        help="Adult in file order: 30 162 records train, 15 060 test. Λ₀ = 1/ε, T = 80; minutes for each ε.",
    )  # fmt: skip
    show: float = state.control(1.0, _show, when=lambda asked: asked.view == "study" and asked.figure != "budget")

    @property
    def regularizer(self) -> Regularizer:
        """The regulariser that the appended rows should realise."""
        return Regularizer(self.kind, self.strength, self.kappa, self.gamma)

    @property
    def delta(self) -> float:
        """δ of the noise, 0 for spherical Laplace noise."""
        return self.failure if self.noise == "gaussian" else 0.0

    @property
    def n(self) -> int:
        """Records of a simulated data set."""
        return SETTINGS[self.data].sizes[self.size == "large"]

    @property
    def simulated(self) -> bool:
        """Whether the data are drawn from Table 4."""
        return _of_table_4(self)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Values of ε in a study."""
        return _EPSILONS[self.full, self.simulated]

    @property
    def scenario(self) -> audit.Scenario:
        """The one-dimensional pair under attack."""
        return audit.Scenario(self.epsilon, self.strength, self.target, self.others)

    @property
    def case(self) -> Case:
        """The data with their constants."""
        if self.simulated:
            return cache.shared(example, self.data, self.n)
        if self.dataset is None:
            drawn = (printed.rates, printed.HEADLINE) if self.figure == "budget" else ()
            raise NothingToShowError(data_input.problem() or _WITHOUT, *drawn)
        return cache.in_session(from_dataset, self.dataset, self.loss, self.clip)

    def learner(self) -> NoiseAugmentedLearner:
        """The learner of these choices; a choice that cannot be certified raises an error with the reason."""
        return NoiseAugmentedLearner(
            self.case.loss, self.epsilon, self.delta, self.regularizer, self.variant, selection=self.selection,
            weights="printed" if self.printed else "corrected", clip=self.case.clip,
        )  # fmt: skip

    def cached(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Results from simulated data are shared by all sessions; results from a loaded file stay in the session."""
        return (cache.shared if self.simulated else cache.in_session)(function, *arguments)
