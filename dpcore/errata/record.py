"""One misprint or error of a source: what is printed, what is right, and a number that shows the difference."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from dpcore import validation
from dpcore.data.names import in_words
from dpcore.mechanisms import Parameter

SOURCES = {
    "wang-2019": "Wang, per-instance differential privacy",
    "redberg-koskela-wang-2023": "Redberg, Koskela, Wang, objective perturbation",
    "lecture-10": "Lecture 10",
    "lecture-12": "Lecture 12",
    "li-liu-napp": "Li, Liu, noise augmentation",
    "libraries": "Libraries",
}

Three = tuple[float, float, float]  # the number as printed, as corrected, and computed without either

# The symbols and commands of a formula, one by one.
_TOKENS = re.compile(r"\\(?:text|mathrm)\{[^{}]*\}|\\math(?:bb|cal) ?\{?[A-Z]\}?|\\[A-Za-z]+|\S")
_SET = {  # commands that only lay out a formula, and operations that need no words
    "frac", "tfrac", "sqrt", "left", "right", "big", "Big", "quad", "hat", "tilde", "log", "le", "ge", "max", "min", "sup", "to", "sim",
    "asymp", "propto", "top", "sum", "int", "nabla", "cdot", "dots", "leftarrow", "Rightarrow", "iff", "in", "mathbb R", "ne", "mathbb{E}",
    "cap",
}  # fmt: skip
_ROUND_OFF = 1e-15  # absolute difference that counts as round-off


class Kind(Enum):
    """What is wrong with a printed statement, and with it how its numbers are related."""

    MISPRINT = "misprint or slip"  # corrected = computed, printed is another number
    FAILS = "bound that does not hold"  # printed < computed ≤ corrected
    LOOSE = "bound that holds but is loose"  # computed ≤ corrected < printed
    # claimed < shown by the attack; the corrected statement is of another mechanism
    REFUTED = "claim refuted by an attack"


@dataclass(frozen=True)
class Numbers:
    """The demonstrated quantity from the printed formula, from the corrected one, and computed without either."""

    printed: float
    corrected: float
    computed: float

    @property
    def ratio(self) -> float:
        """Printed over computed; nan where the computed value is 0."""
        return self.printed / self.computed if self.computed else float("nan")


@dataclass(frozen=True, eq=False)
class Sweep:
    """Numbers along the first parameter."""

    parameter: Parameter
    x: np.ndarray
    printed: np.ndarray
    corrected: np.ndarray
    computed: np.ndarray


@dataclass(frozen=True)
class Erratum:
    r"""A record of the errata: words from the TOML file of its source, numbers from the function of its name.

    Parameters
    ----------
    key : short name
    source : key in `REFERENCES`
    place : where in the source
    printed_latex, corrected_latex : the two formulas
    matters : one sentence on where it matters
    quantity : what the three numbers are
    how : how the third is computed
    parameters : ranges of the arguments; the first is the one a chart sweeps
    consequence : sentence with the fields {printed}, {corrected}, {computed} and {ratio}
    numbers : printed, corrected and computed number, as a function of the parameters by name
    symbols : of the formulas of the source, in words
    points : number of points of a sweep; few where a number takes long
    kind : what is wrong
    error : relative error of the computed number, where it is simulated
    """

    key: str
    source: str
    place: str
    printed_latex: str
    corrected_latex: str
    matters: str
    quantity: str
    how: str
    parameters: tuple[Parameter, ...]
    consequence: str
    numbers: Callable[..., Three]
    symbols: Mapping[str, str]
    points: int = 33
    kind: Kind = Kind.MISPRINT
    error: float = 1e-3

    @property
    def defaults(self) -> dict[str, float]:
        """Default arguments by name."""
        return {p.name: p.default for p in self.parameters}

    def demonstrate(self, **values: float) -> Numbers:
        """The three numbers at some parameters, computed now; defaults where not given.

        Raises
        ------
        ParameterError
            If a parameter is unknown or outside its range.
        """
        known = {p.name: p for p in self.parameters}
        for name, value in values.items():
            validation.choice("parameter", name, known)
            validation.real_array(name, value, low=known[name].low, high=known[name].high)
        return Numbers(*map(float, self.numbers(**self.defaults | values)))

    def sentence(self, numbers: Numbers) -> str:
        """The consequence at these numbers."""
        shown = {name: in_words(getattr(numbers, name)) for name in ("printed", "corrected", "computed", "ratio")}
        return self.consequence.format(**shown)

    def agrees(self, value: float, numbers: Numbers) -> bool:
        """Whether a number is the computed one, up to `error` times the larger of |computed|, |printed − computed|."""
        size = max(abs(numbers.computed), abs(numbers.printed - numbers.computed))
        return abs(value - numbers.computed) <= self.error * size + _ROUND_OFF

    def sweep(self, **values: float) -> Sweep:
        """The three numbers along the first parameter, the others as given."""
        first, points = self.parameters[0], self.points
        if first.scale == "integer":
            x = np.unique(np.round(np.linspace(first.low, first.high, points)))
        elif first.scale == "linear":
            x = np.linspace(first.low, first.high, points)
        else:
            x = np.geomspace(first.low, first.high, points)
            x[[0, -1]] = first.low, first.high
        others = {name: value for name, value in values.items() if name != first.name}
        found = [self.demonstrate(**others, **{first.name: float(value)}) for value in x]
        columns = ([getattr(one, name) for one in found] for name in ("printed", "corrected", "computed"))
        return Sweep(first, x, *(np.array(column) for column in columns))

    def explained(self) -> tuple[dict[str, str], list[str]]:
        """Symbols of the corrected formula in words, in its order, and those that have none."""
        left = _TOKENS.findall(self.corrected_latex)
        places: dict[str, int] = {}
        for symbol in sorted(self.symbols, key=len, reverse=True):
            wanted = _TOKENS.findall(symbol)
            for at in range(len(left) - len(wanted) + 1):
                if left[at : at + len(wanted)] == wanted:
                    places.setdefault(symbol, at)
                    left[at : at + len(wanted)] = [""] * len(wanted)
        shown = {symbol: self.symbols[symbol] for symbol in sorted(places, key=places.__getitem__)}
        return shown, [token for token, after in zip(left, [*left[1:], ""], strict=True) if _nameless(token, after)]


def _nameless(token: str, after: str) -> bool:
    if token.startswith(("\\text{", "\\mathrm{")) or (token == "e" and after == "^"):  # words, the exponential
        return False
    return token.isalpha() or (
        token[:1] == "\\" and token[1:2].isascii() and token[1:2].isalpha() and token[1:] not in _SET
    )
