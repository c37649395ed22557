"""The choices of private training: first the data, then what to do with them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dpcore as dp
from dpcore.data import Dataset
from dpcore.data.samples.published import ROW_FORMS
from dpcore.errors import DataError, DPError
from dpcore.exhibits import training
from dpcore.exhibits.training.published import EPSILONS
from dpcore.exhibits.training.solver_study import MOST_PASSES
from dpcore.glm import LOSSES
from pages.components import losses, say, state
from pages.components.say import md
from pages.your_data.private_training import sources
from pages.your_data.private_training.learners import NAMES, usable

_sentence = say.sentences(__file__)

VIEWS = {"live": "Live", "study": "Study", "rows": "Rows", "solvers": "Solvers"}
CHOICES = {"rule": "from (ε, δ)", "hand": "C, σ, λ by hand"}
RULES = {
    "best": "least predicted risk, tight",
    "published": "published settings, Thm 3.2",
    "paper": "1.3 σ_G, smallest λ by Thm 3.1",
}
_FORMED, _GENERATED = ("synthetic_l", "synthetic_h", "adult"), ("logistic", "linear")


def _with_data(asked: Any) -> bool:
    return asked.view != "solvers"


def _from(*names: str) -> Callable[[Any], bool]:
    return lambda asked: _with_data(asked) and asked.data in names


def _in(view: str, how: str | None = None) -> Callable[[Any], bool]:
    return lambda asked: asked.view == view and (how is None or asked.how == how)


def _loss(asked: Any, key: str) -> str:
    usual = sources.usual_loss(asked.data, asked.dataset)
    loss = say.selectbox(
        "Loss", list(LOSSES), index=list(LOSSES).index(usual), format_func=losses.title, key=f"{key}_{usual}",
    )  # fmt: skip
    try:
        if asked.dataset.domain is None:
            raise DataError("The data set states no public domain; choose a scaling under Columns and scaling.")
        LOSSES[loss].check_target(asked.dataset.y)
    except DPError as error:
        raise DataError(f"{error}".rstrip(".") + ". Choose another loss or target.") from None
    return loss


def _learners(asked: Any, key: str) -> tuple[str, ...]:
    offered = list(usable(asked.loss, 1, asked.dataset.domain.row_norm))
    usual = ["tight", "output"]
    return tuple(say.pills("Learners", offered, selection_mode="multi", default=usual, format_func=NAMES.get, key=key))


def _score(asked: Any, key: str) -> str:
    names = [score.name for score in dp.LOSSES[asked.loss].scores]
    if len(names) == 1:
        return names[0]
    return say.segmented_control(
        "Score", names, format_func=lambda name: training.SCORES[name].title, default=names[0], required=True, key=key
    )


@dataclass(frozen=True)
class Training:
    """The choices on the page."""

    view: str = state.one_of("View", VIEWS, "live")
    data: str = state.one_of("Where the data come from", sources.SOURCES, "synthetic_l", menu=True, when=_with_data)
    form: str = state.one_of(
        "Constant column", sources.FORM_TITLES, "own", when=_from(*_FORMED),
        help=md("{}; {}.", ROW_FORMS["own"], ROW_FORMS["published"]),
    )  # fmt: skip
    n: int = state.whole("Records n", 1, 50_000, 2000, when=_from(*_GENERATED))
    d: int = state.whole("Features d", 1, 100, 10, when=_from(*_GENERATED))
    data_seed: int = state.linear("Seed of the generator", 0, 99, 0, step=1, when=_from(*_GENERATED))
    noise: float = state.linear("Noise of the targets s", 0.0, 1.0, 0.1, step=0.05, when=_from("linear"))
    steepness: float = state.log("Steepness of the labels", 0.5, 50.0, 10.0, when=_from("logistic"))
    dataset: Dataset | None = state.control(None, sources.ask, when=_with_data)
    loss: str = state.control("logistic", _loss, when=_with_data)
    passes: int = state.whole("Passes t", 1, MOST_PASSES, 30, when=_in("solvers"))
    largest: int = state.whole("Largest n", 1, 20_000, 5000, when=_in("solvers"))
    delta: float = state.delta(when=_with_data)
    how: str = state.one_of("Choose the noise", CHOICES, "rule", when=_in("live"))
    epsilon: float = state.log(
        "Budget ε", 0.01, 20.0, 0.1, few=True, when=lambda asked: asked.view == "rows" or _in("live", "rule")(asked)
    )
    rule: str = state.one_of(
        "Rule for C, σ, λ", RULES, "best", menu=True, when=_in("live", "rule"),
        help=_sentence("public_facts"),
    )  # fmt: skip
    norm: float = state.log(
        "Norm B of θ, over √d s/R", 0.05, 20.0, 0.5, help=md("Assumed ‖θ*‖; never measured. s fits the largest target (logistic: 2)."),
        when=lambda asked: _in("live", "rule")(asked) and asked.rule == "best",
    )  # fmt: skip
    clip: float = state.log("Clip gradients at C", 0.01, 10.0, 0.4, when=_in("live", "hand"))
    sigma: float = state.log("Noise σ", 0.01, 1000.0, 1.2, few=True, when=_in("live", "hand"))
    lam: float = state.log("Regularisation λ (sum form)", 0.001, 10_000.0, 0.8, key="lambda", when=_in("live", "hand"))
    share: float = state.log("Share of the training rows used", 0.01, 1.0, 1.0, when=_in("live"))
    split: int = state.linear("Random split", 0, 49, 0, step=1, when=_in("live"))
    learners: tuple[str, ...] = state.control((), _learners, when=_in("study"))
    grid: tuple[float, ...] = state.several_of(
        "ε grid", {epsilon: f"{epsilon:g}" for epsilon in EPSILONS}, (0.1, 0.5, 1.0, 8.0), when=_in("study")
    )
    repeats: int = state.whole("Random splits", 1, 50, 5, when=_in("study"))
    epochs: int = state.whole(
        "Epochs of DP-SGD", 1, 60, 20, help="60 in the source",
        when=lambda asked: asked.view == "rows" or bool({"sgd", "honest", "dishonest"} & set(getattr(asked, "learners", ()))),
    )  # fmt: skip
    score: str = state.control("", _score, when=_in("study"))
