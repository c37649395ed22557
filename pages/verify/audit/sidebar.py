"""What is attacked, and how: a mechanism, a learner, or rows of the data (against their per-instance claim)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.audit import ATTACKS, PAYMENTS
from dpcore.audit.attacks import available
from dpcore.data import Dataset
from dpcore.glm import LOSSES
from dpcore.learners import LEARNERS
from dpcore.mechanisms import MECHANISMS
from dpcore.profiles import PrivacyProfile
from pages.components import controls, data_input, losses, say, state
from pages.components.say import md
from pages.verify.audit.subject import SETUPS, Setup, choices_of, exposures, pick

SUBJECTS = {
    "mechanism": "A mechanism, on its hardest pair",
    "learner": "A learner, on data",
    "rows": "Rows of data, one by one (pDP)",
    "napp": "Noise augmentation (NAPP)",
}
CANARIES = {"exposed": "most exposed", "typical": "typical", "number": "by number"}
ATTACKABLE = {key: learner.title for key, learner in LEARNERS.items() if key != "non_private"}


def _when(*subjects: str) -> Callable[[Any], bool]:
    return lambda asked: asked.subject in subjects


def _takes(option: str) -> Callable[[Any], bool]:
    """A condition: the attacked subject is a learner that has this option."""
    return lambda asked: asked.subject == "learner" and option in choices_of(asked.learner)


def _row(asked: Any, key: str) -> tuple[int, str]:
    """The row to look for, and words that say how it was chosen."""
    dataset: Dataset = asked.dataset
    if asked.canary == "number":
        first, last = int(dataset.row_labels[0]), max(int(dataset.row_labels[-1]), dataset.report.rows_read)
        number = say.number_input(
            "Row", 1, last, first, key=f"data_au_row_{dataset.sha256[:12]}",
            help="As numbered in the file: the first line after the header is 1.",
        )  # fmt: skip
        return dataset.position(int(number)), ""
    exposed, typical = pick(exposures(dataset, gamma=1.0, lam=1.0))
    return (exposed, ", the most exposed,") if asked.canary == "exposed" else (typical, ", a typical one,")


def _attack(asked: Any, key: str) -> str:
    st.divider()
    known = available(asked.setup.games[0])
    return say.selectbox(
        "Attack", known, format_func=ATTACKS.get, key=f"{key}_{len(known)}",
        help="Likelihood ratio where both output laws are known; otherwise a classifier trained on half the runs.",
    )  # fmt: skip


def _runs(asked: Any, key: str) -> int:
    fast = asked.setup.fast
    return int(controls.log_slider("Runs per side", 100, 20_000, 2000 if fast else 300, key=f"{key}_{fast}"))


@dataclass(frozen=True)
class Asked:
    """What is attacked, and how the machine attacks it."""

    subject: str = state.one_of(
        "What is attacked", SUBJECTS, "mechanism", menu=True,
        help="Mechanism: its hardest pair. Learner: is a row in the training data? Rows: an exposed and a typical row, each "
        "against its own per-instance (pDP) claim. NAPP: variants of noise augmentation, as claimed and as certified.",
    )  # fmt: skip
    kind: str = state.one_of(
        "Mechanism", {key: entry.name for key, entry in MECHANISMS.items()}, "gaussian", menu=True, key="mechanism",
        when=_when("mechanism"),
    )  # fmt: skip
    claimed: PrivacyProfile = state.control(
        None, lambda asked, key: controls.mechanism_controls(asked.kind, MECHANISMS[asked.kind], prefix="au"),
        when=_when("mechanism"),
    )  # fmt: skip
    dataset: Dataset = state.control(None, data_input.ask, when=_when("learner", "rows"))
    learner: str = state.one_of("Learner", ATTACKABLE, next(iter(ATTACKABLE)), menu=True, when=_when("learner"))
    loss: str = state.one_of(
        "Loss", {name: losses.title(name) for name in LOSSES}, "squared", menu=True, when=_takes("loss"), help=losses.needs()
    )  # fmt: skip
    claim_epsilon: float = state.log("Claimed ε", 0.1, 20.0, 4.0, when=_when("learner"))
    claim_delta: float = state.delta("Claimed δ", -2, when=_takes("delta"))
    canary: str = state.one_of(
        "Row to look for", CANARIES, "exposed", when=_when("learner"),
        help="Exposed by leverage and residual, as on the per-instance page.",
    )  # fmt: skip
    row: tuple[int, str] = state.control((0, ""), _row, when=_when("learner"))
    lam: float = state.log("Regularisation λ", 0.01, 1000.0, 1.0, key="lambda", when=_when("rows"))
    gamma: float = state.log("Inverse temperature γ", 0.01, 1e3, 30.0, when=_when("rows"))
    napp_variant: str = state.one_of(
        "Variant", {"moor": "MOOR", "vs_plus": "VS+", "certified": "certified"}, "moor", when=_when("napp"),
        help="A lasso in one dimension, in the limit of many rows and iterations.",
    )  # fmt: skip
    napp_epsilon: float = state.log("Claimed ε", 0.1, 8.0, 1.0, when=_when("napp"))
    napp_strength: float = state.log("Lasso weight Λ", 0.05, 8.0, 0.5, when=_when("napp"))
    napp_target: float = state.linear("Target y of the record", 0.0, 2.0, 1.0, step=0.05, when=_when("napp"))
    napp_others: int = state.linear(md("Other records (y = 0)"), 0, 10, 0, step=1, when=_when("napp"))
    share: float = state.log(
        "Run it with this share of the declared noise", 0.2, 1.0, 1.0, when=_when("mechanism", "learner"),
        help="1: an honest run. Below 1 the claim stays as declared while the noise shrinks: the audit should notice.",
    )  # fmt: skip
    setup: Setup = state.control(None, lambda asked, key: SETUPS[asked.subject](asked))
    attack: str = state.control("", _attack)
    payment: str = state.one_of(
        "Thresholds", dict(zip(PAYMENTS, ("all, band", "one, split"), strict=True)), "all",
        help=f"All: {PAYMENTS['all']}. Split: {PAYMENTS['split']}.",
    )  # fmt: skip
    runs: int = state.control(0, _runs)
    alpha: float = state.log("Level α of the verdict", 0.001, 0.2, 0.05)
    delta: float = state.delta(md("Bound ε at δ ="))
    epsilon: float = state.linear(md("Bound δ at ε ="), 0.0, 8.0, 1.0, step=0.05)
    now: bool = state.toggle("Attack at once", help="The machine begins as soon as something new is asked for.")
