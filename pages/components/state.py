"""The state of a page: a frozen dataclass in which each control stands once, with its name, range, default, and when it is shown.

A field made by a function of this module is a control; any other field, such as a data set, is given. The address holds each
control under the page's prefix and the name of its field, or the name it says instead.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, Field, dataclass, field, fields
from types import SimpleNamespace
from typing import Any

from dpcore.errors import DPError
from dpcore.mechanisms import Parameter
from pages.components import controls, say

Asked = Any  # what has been asked so far, as attributes
When = Callable[[Asked], bool]


class NothingToShowError(DPError):
    (
        """There is no answer to what is asked; its sentence says what to choose instead.

    `draw` shows what is still of use, and `headline` says what can be seen there; without one the name of the page stands.
    """
        ""
    )

    def __init__(self, sentence: str, draw: Callable[[], object] | None = None, headline: str = ""):
        super().__init__(sentence)
        self.draw, self.headline = draw, headline


@dataclass(frozen=True)
class Control:
    """How one value is asked for.

    Parameters
    ----------
    ask : draws the control, given what was asked before it and its key, and gives its value
    key : its name in the address, where that is not the name of the field
    when : whether it is shown; where it is not, the value is its default
    positions : every value that a slider can take
    label : what it says; of a slider it ends in the symbol of the value
    """

    ask: Callable[[Asked, str], Any]
    key: str = ""
    when: When | None = None
    positions: Callable[[], Sequence[Any]] | None = None
    label: str = ""


def control(default: Any, ask: Callable[[Asked, str], Any], **options: Any) -> Any:
    """A control of the page's own; options are those of `Control`."""
    return field(default=default, metadata={"control": Control(ask, **options)})


def log(
    label: str, low: float, high: float, default: float, *, few: bool = False, help: str | None = None, **options: Any
) -> Any:
    """A slider over round numbers on a logarithmic scale, or over few of them."""
    return control(
        default,
        lambda asked, key: controls.log_slider(label, low, high, default, key=key, few=few, help=help),
        positions=lambda: controls.round_values(low, high, few=few),
        label=label,
        **options,
    )


def linear(
    label: str, low: float, high: float, default: float, *, step: float, help: str | None = None, **options: Any
) -> Any:
    """A slider with even steps."""
    return control(
        default,
        lambda asked, key: say.slider(label, low, high, default, step=step, key=key, help=help),
        positions=lambda: [round(low + i * step, 9) for i in range(round((high - low) / step) + 1)],
        label=label,
        **options,
    )


def whole(label: str, low: int, high: int, default: int, *, help: str | None = None, **options: Any) -> Any:
    """A slider over round whole numbers on a logarithmic scale."""
    return control(
        default,
        lambda asked, key: controls.count_slider(label, high, default, key=key, low=low, help=help),
        positions=lambda: controls.whole_values(low, high),
        label=label,
        **options,
    )


def delta(label: str = controls.DELTA, exponent: int = -5, **options: Any) -> Any:
    """δ in powers of ten."""
    return control(
        float(f"1e{exponent}"),
        lambda asked, key: controls.delta_slider(label, key=key, default=exponent),
        positions=lambda: [float(f"1e{power}") for power in range(-15, 0)],
        label=label,
        **options,
    )


def parameter(of: Parameter, before: Callable[[Asked], object] = lambda asked: None, **options: Any) -> Any:
    """The slider of a registered mechanism's parameter, and what is drawn before it."""

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
    """One of a few choices side by side, or in a menu; `former` gives choices by the names that links had for them."""
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
    """How a field is asked for."""
    (found,) = (one.metadata["control"] for one in fields(kind) if one.name == name)
    return found


def key_of(kind: type, prefix: str, name: str) -> str:
    """The name of a control in the address."""
    return f"{prefix}_{find(kind, name).key or name}"


def symbol(kind: type, name: str) -> str:
    """How a slider's value is called in one word."""
    return find(kind, name).label.removesuffix(" =").split()[-1]


def ask(kind: type, prefix: str, main: str | Callable[[Asked], str] = "", **given: Any) -> Any:
    """Draw the controls in their order, the main one where the hand is, and make the state of what they hold and of what is given.

    Controls also know what is given that is no field, such as a place on screen.
    """
    asked, name = SimpleNamespace(**given), main if isinstance(main, str) else ""
    for one in fields(kind):
        if "control" in one.metadata:
            found: Control = one.metadata["control"]
            shown = found.when is None or found.when(asked)
            with asked.hand if one.name == name else nullcontext():
                setattr(asked, one.name, found.ask(asked, key_of(kind, prefix, one.name)) if shown else _default(one))
            if callable(main) and not name:
                name = main(asked)  # which may depend on the first control
    return kind(**{one.name: getattr(asked, one.name) for one in fields(kind) if hasattr(asked, one.name)})


def _default(one: Field) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def positions(kind: type, name: str) -> list[Any]:
    """Every value that a slider can take."""
    return list(find(kind, name).positions())
