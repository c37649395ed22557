"""The state of a page: a frozen dataclass with a field for each control, its range, default, and when it is shown.

A field made by a function of this module is a control; any other field, such as a data set, is given. In the address a
control has the page's prefix and the name of its field, or the `key` that it states.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, Field, dataclass, field, fields
from types import SimpleNamespace
from typing import Any

from dpcore.errors import DPError
from dpcore.mechanisms import Parameter
from pages.components import controls, say

Asked = Any  # an object with the values asked for so far as attributes
When = Callable[[Asked], bool]


class NothingToShowError(DPError):
    """There is no answer to the question; the text says what to choose instead, `draw` shows what is still useful.

    `headline` says what that is; without one the name of the page stands in its place.
    """

    def __init__(self, sentence: str, draw: Callable[[], object] | None = None, headline: str = ""):
        super().__init__(sentence)
        self.draw, self.headline = draw, headline


@dataclass(frozen=True)
class Control:
    """How one value is asked for.

    Parameters
    ----------
    ask : function of (what was asked before, key) that draws the control and returns its value
    key : its name in the address; by default the name of the field
    when : function that says whether it is shown; if it is not, the value is its default
    positions : function that gives every value that a slider can take
    label : its label, which for a slider ends in the symbol of the value
    place : name of the given container in which it stands instead of the sidebar
    """

    ask: Callable[[Asked, str], Any]
    key: str = ""
    when: When | None = None
    positions: Callable[[], Sequence[Any]] | None = None
    label: str = ""
    place: str = ""


def control(default: Any, ask: Callable[[Asked, str], Any], **options: Any) -> Any:
    """A control with its own function `ask`; options are those of `Control`."""
    return field(default=default, metadata={"control": Control(ask, **options)})


def log(
    label: str, low: float, high: float, default: float, *, few: bool = False, help: str | None = None, **options: Any
) -> Any:
    """A slider over round numbers on a logarithmic scale; with `few`, over fewer of them."""

    def ask(asked: Asked, key: str) -> float:
        return controls.log_slider(label, low, high, default, key=key, few=few, help=help)

    return control(default, ask, positions=lambda: controls.round_values(low, high, few=few), label=label, **options)


def linear(
    label: str, low: float, high: float, default: float, *, step: float, help: str | None = None, **options: Any
) -> Any:
    """A slider with even steps."""

    def ask(asked: Asked, key: str) -> float:
        return say.slider(label, low, high, default, step=step, key=key, help=help)

    def positions() -> list[float]:
        return [round(low + i * step, 9) for i in range(round((high - low) / step) + 1)]

    return control(default, ask, positions=positions, label=label, **options)


def whole(label: str, low: int, high: int, default: int, *, help: str | None = None, **options: Any) -> Any:
    """A slider over round whole numbers on a logarithmic scale."""

    def ask(asked: Asked, key: str) -> int:
        return controls.count_slider(label, high, default, key=key, low=low, help=help)

    return control(default, ask, positions=lambda: controls.whole_values(low, high), label=label, **options)


def delta(label: str = controls.DELTA, exponent: int = -5, **options: Any) -> Any:
    """A slider of δ over powers of ten."""
    values = [float(f"1e{power}") for power in range(-15, 0)]

    def ask(asked: Asked, key: str) -> float:
        return controls.delta_slider(label, key=key, default=exponent)

    return control(values[exponent], ask, positions=lambda: values, label=label, **options)


def parameter(of: Parameter, before: Callable[[Asked], object] = lambda asked: None, **options: Any) -> Any:
    """The slider of a parameter of a registered mechanism; `before` draws something before it."""

    def ask(asked: Asked, key: str) -> float:
        before(asked)
        return controls.parameter_control(of, key=key)

    return control(of.default, ask, positions=lambda: controls.positions(of), label=of.words, **options)


def direction(**options: Any) -> Any:
    """Which direction of add/remove adjacency to show."""
    return one_of(
        "Direction", controls.DIRECTION_WORDS, "both",
        help="Add: the record is absent under P and present under Q. Remove: the reverse. "
        "A guarantee takes the worse of the two.",
        **options,
    )  # fmt: skip


def toggle(label: str, *, default: bool = False, help: str | None = None, **options: Any) -> Any:
    """A switch."""
    return control(default, lambda asked, key: say.toggle(label, value=default, key=key, help=help), **options)


def one_of(
    label: str,
    choices: Mapping[str, str],
    default: str,
    *,
    menu: bool = False,
    help: str | None = None,
    former: Mapping[str, str] | None = None,
    **options: Any,
) -> Any:
    """One of a few choices side by side, or in a menu; `former` maps names in old links to choices."""
    names = list(choices)

    def ask(asked: Asked, key: str) -> str:
        if menu:
            return say.selectbox(label, names, index=names.index(default), format_func=choices.get, key=key, help=help)
        return say.segmented_control(
            label, names, format_func=choices.get, default=default, required=True, key=key, help=help, former=former
        )

    return control(default, ask, **options)


def several_of(
    label: str, choices: Mapping[Any, str], default: Sequence[Any], *, help: str | None = None, **options: Any
) -> Any:
    """Any of a few choices."""

    def ask(asked: Asked, key: str) -> tuple[Any, ...]:
        return tuple(
            say.pills(
                label, list(choices), selection_mode="multi", default=list(default), format_func=choices.get, key=key, help=help,
            )
        )  # fmt: skip

    return control(tuple(default), ask, **options)


def find(kind: type, name: str) -> Control:
    """The `Control` of a field."""
    (found,) = (one.metadata["control"] for one in fields(kind) if one.name == name)
    return found


def key_of(kind: type, prefix: str, name: str) -> str:
    """The name of a control in the address."""
    return f"{prefix}_{find(kind, name).key or name}"


def symbol(kind: type, name: str) -> str:
    """The symbol of a slider's value, which is the last word of its label."""
    return find(kind, name).label.removesuffix(" =").split()[-1]


def ask(kind: type, prefix: str, main: str | Callable[[Asked], str] = "", **given: Any) -> Any:
    """Draw the controls in their order, and make the state of their values and of what is given.

    The main control is drawn in the container `hand`. Controls also get what is given but is no field, such as a
    container.
    """
    asked, name = SimpleNamespace(**given), main if isinstance(main, str) else ""
    for one in fields(kind):
        if "control" in one.metadata:
            found: Control = one.metadata["control"]
            shown = found.when is None or found.when(asked)
            with getattr(asked, "hand" if one.name == name else found.place, nullcontext()):
                setattr(asked, one.name, found.ask(asked, key_of(kind, prefix, one.name)) if shown else _default(one))
            if callable(main) and not name:
                name = main(asked)  # the name of the main control may depend on the first control
    return kind(**{one.name: getattr(asked, one.name) for one in fields(kind) if hasattr(asked, one.name)})


def _default(one: Field) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def positions(kind: type, name: str) -> list[Any]:
    """Every value that a slider can take."""
    return list(find(kind, name).positions())
