"""What is attacked, in a form that both the guessing game and the machine use."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd
import streamlit as st

from dpcore.audit import Game, learner_game, mechanism_game, napp_game, row_game
from dpcore.audit.napp import GAME_VARIANTS, Scenario, attack
from dpcore.data import Dataset
from dpcore.individual import IndividualPrivacy, individual_privacy
from dpcore.learners import LEARNERS, Learner
from dpcore.learners.napp.guarantee import Claimed, SphericalObjectivePerturbation
from dpcore.mechanisms import MECHANISMS
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.references import FormulaCard
from pages.components import cache, say
from pages.components.words import number, program_text, programs

_sentence, _program = say.sentences(__file__), programs(__file__)

_STATEMENTS = {"moor": "Theorem 4", "vs_plus": "Theorem 4", "retrieval": "Proposition 6", "certified": "proven here"}


def claimed_and_found(scenario: Scenario) -> pd.DataFrame:
    """For each variant the stated budget, its source, and δ at this ε by quadrature of both output laws."""
    rows = []
    for variant in ("moor", "vs_plus", "retrieval", "certified"):
        proven = variant == "certified"
        budget = scenario.certified.pure_epsilon if proven else scenario.epsilon
        delta = attack(scenario, variant, budget).delta
        rows.append({
            "variant": GAME_VARIANTS[variant], "stated in": _STATEMENTS[variant], "pure ε": budget, "δ stated": 0.0,
            "δ by quadrature": 0.0 if delta < 1e-9 else delta, "verdict": "refuted" if delta > 1e-6 else "not refuted",
        })  # fmt: skip
    return pd.DataFrame(rows)


def notes(table: pd.DataFrame) -> tuple[str, ...]:
    """A sentence on the claims that are refuted."""
    fallen = table[table["verdict"] == "refuted"]
    if fallen.empty:
        return (_sentence("no_claim_falls_on"),)  # fmt: skip
    said = ", ".join(f"{row['variant']} {number(row['δ by quadrature'])}" for _, row in fallen.iterrows())
    return (_sentence("one_record_enough", said, table["pure ε"].iloc[-1]),)


# Number of reference runs if each is a fit of a learner, which takes milliseconds. Doubled, they take twice as long.
FEW_REFERENCES = 40
_KEPT = 4


@dataclass(frozen=True)
class Setup:
    """One or two games to play, and what identifies them.

    `attacked` says which rows of private data are looked for. `table` and `notes` hold what is known without any run.
    `cards` holds the guarantees themselves.
    """

    key: str
    games: tuple[Game, ...]
    shown: str
    private: bool
    code: str
    share: float = 1.0
    references: int = 2000
    attacked: str = ""
    table: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    cards: tuple[FormulaCard, ...] = ()

    @property
    def fast(self) -> bool:
        """Whether many outputs are drawn at once; else each needs a fit."""
        return self.references > FEW_REFERENCES


def _mechanism(asked: Any) -> Setup:
    claimed, share = asked.claimed, asked.share
    game = mechanism_game(claimed.with_noise(share), claim=claimed, name=MECHANISMS[asked.kind].name)
    code = _program("mechanism", claimed=program_text(claimed), share=share)
    return Setup(f"{claimed!r} at {share}", (game,), "output of the mechanism", False, code, share)


def _kept(key: str, make: Callable[[], tuple[Game, ...]]) -> tuple[Game, ...]:
    """The games under this key, made if missing. The last few are kept, because planning a learner takes time."""
    store = st.session_state.setdefault("data_audit_games", {})
    if key not in store:
        with say.spinner("Planning the release", show_time=True):
            store[key] = make()
        for old in list(store)[:-_KEPT]:
            del store[old]
    return store[key]


def exposures(dataset: Dataset, gamma: float, lam: float) -> IndividualPrivacy:
    """How exposed each row is to a posterior sample."""
    return cache.in_session(individual_privacy, dataset, PosteriorSampling(gamma=gamma, lam=lam), 1e-6)


def pick(result: IndividualPrivacy) -> tuple[int, int]:
    """The most exposed row, and the one in the middle of the order."""
    order = result.most_exposed(result.epsilon.size)
    return int(order[0]), int(order[len(order) // 2])


def choices_of(learner: str) -> set[str]:
    """The names of a learner's options."""
    return {one.name for one in fields(LEARNERS[learner])}


def _learner(asked: Any) -> Setup:
    dataset, share, (row, chosen) = asked.dataset, asked.share, asked.row
    given = {"loss": asked.loss, "epsilon": asked.claim_epsilon, "delta": asked.claim_delta}
    options = {name: value for name, value in given.items() if name in choices_of(asked.learner)}
    learner: Learner = LEARNERS[asked.learner](**options)
    name = f"{learner!r} {dataset.sha256} {dataset.provenance} {row} {share}"
    games = _kept(name, lambda: (learner_game(learner, dataset, row, noise_share=share),))
    code = _program("learner", asked=asked, options=options, row=dataset.row_labels[row])
    return Setup(
        name, games, "minus the record's own loss", True, code, share, FEW_REFERENCES,
        attacked=f"{dataset.row_name(row)}{chosen} of {dataset.n_samples}",
    )  # fmt: skip


def _rows(asked: Any) -> Setup:
    dataset, result = asked.dataset, exposures(asked.dataset, asked.gamma, asked.lam)
    exposed, typical = pick(result)
    name = f"{result.mechanism!r} {dataset.sha256} {dataset.provenance}"
    games = _kept(name, lambda: (row_game(dataset, result, exposed), row_game(dataset, result, typical)))
    code = _program(
        "rows", mechanism=result.mechanism, exposed=dataset.row_labels[exposed], typical=dataset.row_labels[typical]
    )
    return Setup(
        name, games, "minus the squared residual of the row", True, code,
        attacked=f"{dataset.row_name(exposed)}, the most exposed of {dataset.n_samples}, and "
        f"{dataset.row_name(typical)}, a typical one",
    )  # fmt: skip


def _napp(asked: Any) -> Setup:
    """A game on one record in one dimension: the chosen variant, and the certified form for comparison."""
    scenario = Scenario(asked.napp_epsilon, asked.napp_strength, asked.napp_target, asked.napp_others)
    played = dict.fromkeys((asked.napp_variant, "certified"))
    code = _program("napp", scenario=scenario, asked=asked)
    table = cache.shared(claimed_and_found, scenario)
    return Setup(
        f"{scenario!r} {asked.napp_variant}", tuple(napp_game(scenario, one) for one in played), "output θ", False, code,
        table=table, notes=notes(table), cards=(SphericalObjectivePerturbation.card, Claimed.card),
    )  # fmt: skip


SETUPS: dict[str, Callable[[Any], Setup]] = {
    "mechanism": _mechanism, "learner": _learner, "rows": _rows, "napp": _napp,
}  # fmt: skip
