"""What is attacked: a mechanism, a learner on data, or rows of the data against their own per-instance claim."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import streamlit as st

from dpcore.audit import Game, learner_game, mechanism_game, row_game
from dpcore.data import Dataset
from dpcore.errors import DPError
from dpcore.glm import LOSSES
from dpcore.individual import IndividualPrivacy, individual_privacy
from dpcore.learners import LEARNERS, Learner
from dpcore.mechanisms import MECHANISMS
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from pages.components import cache, controls, data_input, losses, say
from pages.components.words import program_text
from pages.verify.audit import napp
from pages.verify.audit.subject import FEW_REFERENCES, Setup, noise_share

SUBJECTS = {
    "mechanism": "A mechanism, on its hardest pair",
    "learner": "A learner, on data",
    "rows": "Rows of data, one by one (pDP)",
    "napp": "Noise augmentation (NAPP)",
}
CANARIES = {"exposed": "most exposed", "typical": "typical", "number": "by number"}
PRESETS = {
    "Honest Gaussian": {"au_subject": "mechanism", "au_mechanism": "gaussian", "au_share": 1.0},
    "Half the noise": {"au_subject": "mechanism", "au_mechanism": "gaussian", "au_share": 0.5},
    "Exposed row": {"au_subject": "rows"},
    "A claim that falls": {"au_subject": "napp", "au_napp_variant": "moor"},
}
_KEPT = 4
_ATTACKABLE = [key for key in LEARNERS if key != "non_private"]


def choose(main: Any) -> Setup | None:
    """Controls in the sidebar; None, with a sentence stored, while there is nothing to attack. An upload is shown in `main`."""
    subject = say.selectbox(
        "What is attacked", list(SUBJECTS), format_func=SUBJECTS.get, key="au_subject",
        help="Mechanism: its hardest pair. Learner: is a row in the training data? Rows: an exposed and a typical row, each "
        "against its own per-instance (pDP) claim. NAPP: variants of noise augmentation, as claimed and as certified.",
    )  # fmt: skip
    try:
        return {
            "mechanism": _mechanism,
            "learner": lambda: _learner(main),
            "rows": lambda: _rows(main),
            "napp": napp.choose,
        }[subject]()
    except DPError as error:
        st.session_state["data_problem"] = str(error)
        return None


def _mechanism() -> Setup:
    key = say.selectbox(
        "Mechanism", list(MECHANISMS), format_func=lambda key: MECHANISMS[key].name, key="au_mechanism",
    )  # fmt: skip
    claimed = controls.mechanism_controls(key, MECHANISMS[key], prefix="au")
    share = noise_share()
    game = mechanism_game(claimed.with_noise(share), claim=claimed, name=MECHANISMS[key].name)
    code = f"import dpcore as dp\n\nclaimed = {program_text(claimed)}\n"
    code += f"game = dp.audit.mechanism_game(claimed.with_noise({share:g}), claim=claimed)\n"
    return Setup(f"{claimed!r} at {share}", (game,), "output of the mechanism", False, code, share)


def _data(main: Any) -> Dataset | None:
    dataset = data_input.choose(main)
    st.divider()
    return dataset


def _kept(key: str, make: Callable[[], tuple[Game, ...]]) -> tuple[Game, ...]:
    """Games of this session by key; the last few are kept, because planning a learner takes a while."""
    store = st.session_state.setdefault("data_audit_games", {})
    if key not in store:
        with say.spinner("Planning the release", show_time=True):
            store[key] = make()
        for old in list(store)[:-_KEPT]:
            del store[old]
    return store[key]


def _exposures(dataset: Dataset, mechanism: PosteriorSampling) -> IndividualPrivacy:
    return cache.in_session(individual_privacy, dataset, mechanism, 1e-6)


def _learner(main: Any) -> Setup | None:
    dataset = _data(main)
    if dataset is None:
        return None
    key = say.selectbox(
        "Learner", _ATTACKABLE, format_func=lambda key: LEARNERS[key].title, key="au_learner",
    )  # fmt: skip
    accepted = {field.name for field in fields(LEARNERS[key])}
    options: dict[str, object] = {}
    if "loss" in accepted:
        options["loss"] = say.selectbox(
            "Loss", list(LOSSES), index=list(LOSSES).index("squared"), format_func=losses.title, key="au_loss", help=losses.needs(),
        )  # fmt: skip
    options["epsilon"] = controls.log_slider("Claimed ε", 0.1, 20.0, 4.0, key="au_claim_epsilon")
    if "delta" in accepted:
        options["delta"] = controls.delta_slider("Claimed δ", key="au_claim_delta", default=-2)
    row, chosen = _canary(dataset)
    share = noise_share()
    learner: Learner = LEARNERS[key](**options)
    name = f"{learner!r} {dataset.sha256} {dataset.provenance} {row} {share}"
    games = _kept(name, lambda: (learner_game(learner, dataset, row, noise_share=share),))
    code = f"import dpcore as dp\n\nlearner = dp.LEARNERS[{key!r}](**{options!r})\n"
    code += f"game = dp.audit.learner_game(learner, dataset, row=dataset.position({dataset.row_labels[row]}), noise_share={share:g})\n"
    code += "# dataset: a dp.Dataset; position turns the number of a row in the file into its index\n"
    return Setup(
        name, games, "minus the record's own loss", True, code, share, FEW_REFERENCES,
        attacked=f"{dataset.row_name(row)}{chosen} of {dataset.n_samples}",
    )  # fmt: skip


def _canary(dataset: Dataset) -> tuple[int, str]:
    """The row to look for, and how it was chosen."""
    which = say.segmented_control(
        "Row to look for", list(CANARIES), format_func=CANARIES.get, default="exposed", required=True, key="au_canary",
        help="Exposed by leverage and residual, as on the per-instance page.",
    )  # fmt: skip
    if which == "number":
        first, last = int(dataset.row_labels[0]), max(int(dataset.row_labels[-1]), dataset.report.rows_read)
        number = say.number_input(
            "Row", 1, last, first, key=f"data_au_row_{dataset.sha256[:12]}",
            help="As numbered in the file: the first line after the header is 1.",
        )  # fmt: skip
        return dataset.position(int(number)), ""
    exposures = _exposures(dataset, PosteriorSampling(gamma=1.0, lam=1.0))
    return (
        (pick(exposures)[0], ", the most exposed,") if which == "exposed" else (pick(exposures)[1], ", a typical one,")
    )


def pick(result: IndividualPrivacy) -> tuple[int, int]:
    """The most exposed row, and the one in the middle of the order."""
    order = result.most_exposed(result.epsilon.size)
    return int(order[0]), int(order[len(order) // 2])


def _rows(main: Any) -> Setup | None:
    dataset = _data(main)
    if dataset is None:
        return None
    lam = controls.log_slider("Regularisation λ", 0.01, 1000.0, 1.0, key="au_lambda")
    gamma = controls.log_slider("Inverse temperature γ", 0.01, 1e3, 30.0, key="au_gamma")
    mechanism = PosteriorSampling(gamma=gamma, lam=lam)
    result = _exposures(dataset, mechanism)
    exposed, typical = pick(result)
    name = f"{mechanism!r} {dataset.sha256} {dataset.provenance}"
    games = _kept(name, lambda: (row_game(dataset, result, exposed), row_game(dataset, result, typical)))
    code = "import dpcore as dp\n\n"
    code += f"result = dp.individual_privacy(dataset, dp.{mechanism!r}, delta=1e-6)  # dataset: a dp.Dataset\n"
    numbers = [int(dataset.row_labels[row]) for row in (exposed, typical)]
    code += f"game = dp.audit.row_game(dataset, result, dataset.position({numbers[0]}))  # a typical row: number {numbers[1]}\n"
    return Setup(
        name, games, "minus the squared residual of the row", True, code,
        attacked=f"{dataset.row_name(exposed)}, the most exposed of {dataset.n_samples}, and "
        f"{dataset.row_name(typical)}, a typical one",
    )  # fmt: skip
