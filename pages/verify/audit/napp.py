"""Variants of noise augmentation: what the source claims beside what is certified."""

import pandas as pd

from dpcore.audit.napp import GAME_VARIANTS, Scenario, attack
from pages.components.say import md
from pages.components.words import number

_STATEMENTS = {"moor": "Theorem 4", "vs_plus": "Theorem 4", "retrieval": "Proposition 6", "certified": "proven here"}


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


def notes(table: pd.DataFrame) -> tuple[str, ...]:
    """What falls."""
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
