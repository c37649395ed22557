"""Numbers as text for readers."""

import math
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpcore.data.names import grouped, raised

_NEAR = 600.0  # a number whose logarithm has a larger size may be no ordinary float
_TIMES = "\u00a0×"  # with a no-break space, so that no line ends inside a number


def power_of_ten(exponent: int) -> str:
    """A power of ten as text: 10⁻⁵ for −5."""
    return "10" + raised(exponent)


def number(value: float, digits: int = 3) -> str:
    """A number with three significant digits, with a power of ten outside 0.001 … 10 000, or ∞ as a sign."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])
    if -3 <= exponent < 4:
        return f"{value:.{max(0, digits - 1 - exponent)}f}".replace("-", "−")
    mantissa, power = f"{value:.{max(digits - 2, 1)}e}".split("e")
    if math.isclose(value, float(f"1e{int(power)}"), rel_tol=1e-9):
        return power_of_ten(int(power))
    return f"{mantissa}{_TIMES}\u00a0{power_of_ten(int(power))}".replace("-", "−")


def measured(value: float, error: float, least: float = 1e-4) -> str:
    """A number with its error bar, which is at least `least`.

    The bar is rounded up to one digit, and the number has no digits beyond the bar's.
    """
    error = max(error, least)
    if not (math.isfinite(value) and math.isfinite(error)):
        return f"{number(value)} ± {number(error)}"
    places = -math.floor(math.log10(error))
    bar = math.ceil(error * 10.0**places * (1 - 1e-9)) / 10.0**places
    shown = max(0, places)
    return f"{value:.{shown}f} ± {bar:.{shown}f}".replace("-", "−")


def count(value: float) -> str:
    """A whole number with all digits up to a million, beyond it with a power of ten; ∞ as a sign."""
    return grouped(round(value)) if abs(value) <= 1e6 else number(value)


def probability_from_log(log_value: float) -> str:
    """A probability as text, from its natural logarithm, even if it is too small for a float."""
    if math.isinf(log_value):
        return "0"
    return number(math.exp(log_value)) if log_value > -_NEAR else _far(log_value)


def _far(log_value: float) -> str:
    exponent = math.floor(log_value / math.log(10))
    return f"{10 ** (log_value / math.log(10) - exponent):.1f}{_TIMES}\u00a0{power_of_ten(exponent)}"


def times(ratio: float) -> str:
    """A ratio as text: "2.4 ×"."""
    return f"{number(ratio, 2)}{_TIMES}"


def times_from_log(log_ratio: float) -> str:
    """A ratio as text, from its natural logarithm, even if it is too large for a float."""
    return f"{_far(log_ratio)}{_TIMES}" if _NEAR <= log_ratio < math.inf else times(math.exp(log_ratio))


def program_text(mechanism: object) -> str:
    """Python code that makes a mechanism, with nested constructors: dp.Subsampled(base=dp.Gaussian(…), …)."""
    return re.sub(r"\b(?=[A-Z]\w*\()", "dp.", repr(mechanism))


def programs(module: str) -> Callable[..., str]:
    """A function that gives the programs of `programs.toml` beside a module by name, with values in their places.

    Each begins with the line that imports the package.
    """
    found = tomllib.loads(Path(module).with_name("programs.toml").read_text(encoding="utf-8"))

    def program(name: str, /, **values: Any) -> str:
        return "import dpcore as dp\n" + found[name].format(**values)

    return program
