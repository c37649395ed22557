"""The sidebar controls of a released linear regression: which mechanism, its penalty, its noise, δ."""

from typing import Any

from dpcore.individual import ANALYSES
from dpcore.mechanisms import RELEASES, GlmRelease
from dpcore.references import FormulaCard
from pages.components import controls, say


def choose(prefix: str) -> tuple[GlmRelease, float]:
    """The mechanism described by the controls, and δ."""
    kind = say.segmented_control(
        "Mechanism", list(RELEASES), format_func=lambda key: RELEASES[key].name, default="posterior", required=True,
        key=f"{prefix}_kind", bind="query-params", persist_state="session",
        help=" ".join(f"{entry.name}: {entry.law}." for entry in RELEASES.values()),
    )  # fmt: skip
    entry = RELEASES[kind]
    penalty, *others = entry.parameters
    values: dict[str, Any] = {penalty.name: _slider(penalty, f"{prefix}_lambda")}
    values |= {one.name: _slider(one, f"{prefix}_{one.name}") for one in others}
    for choice in entry.alternatives:
        values[choice.name] = say.selectbox(
            choice.words, list(choice.options), format_func=choice.options.get, key=f"{prefix}_{choice.name}",
            bind="query-params", persist_state="session", help=choice.help,
        )  # fmt: skip
    return entry.build(**values), controls.delta_slider("Failure probability δ", key=f"{prefix}_delta", default=-6)


def _slider(one: Any, key: str) -> float:
    return controls.log_slider(one.words, one.low, one.high, one.default, key=key)


def card(mechanism: GlmRelease) -> FormulaCard:
    """The formula card of the per-instance analysis of a mechanism."""
    return ANALYSES.find(mechanism).card(mechanism)


def name(mechanism: GlmRelease) -> str:
    """What a mechanism is called on these pages."""
    return RELEASES[mechanism.release].name
