"""Widgets with the usual symbols and words; their values are kept in the link, and log scales have round numbers."""

import bisect
import math
from typing import Any

from dpcore.data.names import grouped
from dpcore.mechanisms import MechanismEntry, Parameter
from dpcore.numerics import round_values
from dpcore.profiles import PrivacyProfile
from pages.components import say
from pages.components.say import md
from pages.components.words import number, power_of_ten

DELTA = "δ of (ε, δ)"
DELTA_HELP = md(
    "$P(S) \\le e^{\\varepsilon} Q(S) + \\delta$ for every set S of outputs. δ is the mass of the losses beyond ε, each loss ω "
    "counted with weight $1 - e^{\\varepsilon - \\omega}$. It is not the probability that ε is exceeded: that is larger."
)
DIRECTION_WORDS = {"both": "worse of the two", "add": "record added", "remove": "record removed"}


def nearest(values: list[float], wanted: float) -> float:
    """The listed value that is closest to the wanted one (on a logarithmic scale if both are positive)."""
    at = bisect.bisect_left(values, wanted)
    around = values[max(at - 1, 0) : at + 1]
    return min(
        around, key=lambda value: abs(math.log(value / wanted)) if wanted > 0 and value > 0 else abs(value - wanted)
    )


def log_slider(
    label: str,
    low: float,
    high: float,
    default: float,
    *,
    key: str,
    few: bool = False,
    help: str | None = None,
    disabled: bool = False,
) -> float:
    """A slider over round numbers, evenly spaced on a logarithmic scale.

    Parameters
    ----------
    label, low, high, default, key, help, disabled : as for any slider
    few : whether there are only ten numbers per decade, because a frame for each of more numbers would take long
    """
    values = round_values(low, high, few=few)
    return say.select_slider(
        label, values, nearest(values, default), format_func=number, key=key, help=help, disabled=disabled,
        former={number(value): nearest(values, value) for value in round_values(low, high)} if few else None,
    )  # fmt: skip


def whole_values(low: float, high: float) -> list[int]:
    """Round whole numbers from low to high."""
    return [int(value) for value in round_values(low, high) if value == int(value)]


def count_slider(label: str, high: int, default: int, *, key: str, low: int = 1, help: str | None = None) -> int:
    """A slider over round whole numbers, evenly spaced on a logarithmic scale."""
    values = whole_values(low, high)
    former = {number(value): value for value in values}
    return int(
        say.select_slider(label, values, nearest(values, default), format_func=grouped, former=former, key=key, help=help)
    )  # fmt: skip


def delta_slider(label: str = DELTA, *, key: str, default: int = -5) -> float:
    """A slider of δ over powers of ten."""
    exponent = say.select_slider(
        label, list(range(-15, 0)), default, format_func=power_of_ten, key=key, help=DELTA_HELP
    )
    return float(f"1e{exponent}")


def parameter_control(parameter: Parameter, *, key: str) -> Any:
    """The control of a registered parameter, by its scale."""
    if parameter.scale == "integer":
        ends = int(parameter.low), int(parameter.high), int(parameter.default)
        return say.slider(parameter.words, *ends, step=1, key=key)
    if parameter.scale == "linear":
        step = (parameter.high - parameter.low) / 100
        return say.slider(parameter.words, parameter.low, parameter.high, parameter.default, step=step, key=key)
    return log_slider(parameter.words, parameter.low, parameter.high, parameter.default, key=key)


def positions(parameter: Parameter) -> list[float]:
    """Every value that the control of a registered parameter can take."""
    if parameter.scale == "integer":
        return list(range(int(parameter.low), int(parameter.high) + 1))
    if parameter.scale == "linear":
        return [round(parameter.low + i * (parameter.high - parameter.low) / 100, 12) for i in range(101)]
    return round_values(parameter.low, parameter.high)


def mechanism_controls(key: str, entry: MechanismEntry, *, prefix: str) -> PrivacyProfile:
    """Sliders for every parameter of a registered mechanism, and the mechanism they describe."""
    values = {p.name: parameter_control(p, key=f"{prefix}_{key}_{p.name}") for p in entry.parameters}
    return entry.build(**values)
