"""Variants of noise augmentation as a subject of the audit: what the source claims beside what is certified."""

import pandas as pd

from dpcore.audit import napp_game
from dpcore.audit.napp import GAME_VARIANTS, Scenario, attack
from dpcore.learners.napp.guarantee import Claimed, SphericalObjectivePerturbation
from pages.components import cache, controls, say
from pages.components.say import md
from pages.components.words import number
from pages.verify.audit.subject import Setup

_PLAYED = {"moor": "MOOR", "vs_plus": "VS+", "certified": "certified"}
_STATEMENTS = {"moor": "Theorem 4", "vs_plus": "Theorem 4", "retrieval": "Proposition 6", "certified": "proven here"}


def choose() -> Setup:
    """Controls of one record in one dimension, and the game of the chosen variant beside the certified form."""
    variant = say.segmented_control(
        "Variant", list(_PLAYED), format_func=_PLAYED.get, default="moor", required=True, key="au_napp_variant",
        help="A lasso in one dimension, in the limit of many rows and iterations.",
    )  # fmt: skip
    scenario = Scenario(
        epsilon=controls.log_slider("Claimed ε", 0.1, 8.0, 1.0, key="au_napp_epsilon"),
        strength=controls.log_slider("Lasso weight Λ", 0.05, 8.0, 0.5, key="au_napp_strength"),
        target=controls.linear_slider("Target y of the record", 0.0, 2.0, 1.0, step=0.05, key="au_napp_target"),
        others=say.slider(md("Other records (y = 0)"), 0, 10, 0, key="au_napp_others"),
    )
    played = (variant,) if variant == "certified" else (variant, "certified")
    code = f"import dpcore as dp\n\nscenario = dp.audit.napp.{scenario!r}\n"
    code += f"game = dp.audit.napp_game(scenario, {variant!r})\n"
    table = cache.shared(claimed_and_found, scenario)
    return Setup(
        f"{scenario!r} {variant}", tuple(napp_game(scenario, one) for one in played), "output θ", False, code,
        table=table, notes=_notes(table), cards=(SphericalObjectivePerturbation.card, Claimed.card),
    )  # fmt: skip


def claimed_and_found(scenario: Scenario) -> pd.DataFrame:
    """Per variant: the budget stated, where, and δ at it by quadrature of both output laws."""
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


def _notes(table: pd.DataFrame) -> tuple[str, ...]:
    fallen = table[table["verdict"] == "refuted"]
    if fallen.empty:
        return (md("**No claim falls on this record.** Move Λ or the target: MOOR fails where the record reaches the gap that its "
                "penalty leaves, VS+ where the record outweighs Λ."),)  # fmt: skip
    said = ", ".join(f"{row['variant']} {number(row['δ by quadrature'])}" for _, row in fallen.iterrows())
    return (
        md(
            "**One record is enough.** δ at the claimed pure ε, where 0 is claimed: {}. The certified form keeps its own, "
            "smaller ε of {}.",
            said,
            number(float(table["pure ε"].iloc[-1])),
        ),
    )
