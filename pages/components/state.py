"""The state of a page: a frozen dataclass in which each control stands once, with its name, range, default, and when it is shown.

A field made by a function of this module is a control; any other field, such as a data set, is given. The address holds each
control under the page's prefix and the name of its field, or the name it says instead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from types import SimpleNamespace
from typing import Any

from pages.components import controls, say

Asked = Any  # what has been asked so far, as attributes
When = Callable[[Asked], bool]


@dataclass(frozen=True)
class Control:
    """How one value is asked for.

    Parameters
    ----------
    ask : draws the control, given what was asked before it and its key, and gives its value
    key : its name in the address, where that is not the name of the field
    when : whether it is shown; where it is not, the value is its default
    positions : every value that a slider can take
    """

    ask: Callable[[Asked, str], Any]
    key: str = ""
    when: When | None = None
    positions: Callable[[], Sequence[Any]] | None = None


def control(default: Any, ask: Callable[[Asked, str], Any], **options: Any) -> Any:
    """A control of the page's own; options are those of `Control`."""
    return field(default=default, metadata={"control": Control(ask, **options)})


def log(label: str, low: float, high: float, default: float, *, help: str | None = None, **options: Any) -> Any:
    """A slider over round numbers on a logarithmic scale."""
    return control(
        default,
        lambda asked, key: controls.log_slider(label, low, high, default, key=key, help=help),
        positions=lambda: controls.round_values(low, high),
        **options,
    )


def linear(
    label: str, low: float, high: float, default: float, *, step: float, help: str | None = None, **options: Any
) -> Any:
    """A slider with even steps."""
    return control(
        default,
        lambda asked, key: controls.linear_slider(label, low, high, default, step=step, key=key, help=help),
        positions=lambda: [round(low + i * step, 9) for i in range(round((high - low) / step) + 1)],
        **options,
    )


def whole(label: str, low: int, high: int, default: int, *, help: str | None = None, **options: Any) -> Any:
    """A slider over round whole numbers on a logarithmic scale."""
    return control(
        default,
        lambda asked, key: controls.count_slider(label, high, default, key=key, low=low, help=help),
        positions=lambda: [int(value) for value in controls.round_values(low, high) if value == int(value)],
        **options,
    )


def delta(label: str = controls.DELTA, exponent: int = -5, **options: Any) -> Any:
    """δ in powers of ten."""
    return control(
        float(f"1e{exponent}"),
        lambda asked, key: controls.delta_slider(label, key=key, default=exponent),
        positions=lambda: [float(f"1e{power}") for power in range(-15, 0)],
        **options,
    )


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
    label: str, choices: Mapping[str, str], default: Sequence[str], *, help: str | None = None, **options: Any
) -> Any:
    """Any of a few choices."""

    def ask(asked: Asked, key: str) -> tuple[str, ...]:
        return tuple(
            say.pills(
                label, list(choices), selection_mode="multi", default=list(default), format_func=choices.get, key=key, help=help,
            )
        )  # fmt: skip

    return control(tuple(default), ask, **options)


def key_of(kind: type, prefix: str, name: str) -> str:
    """The name of a control in the address."""
    (found,) = (one for one in fields(kind) if one.name == name)
    return f"{prefix}_{found.metadata['control'].key or name}"


def ask(kind: type, prefix: str, **given: Any) -> Any:
    """Draw the controls in their order, and make the state of what they hold and of what is given.

    What is given and is no field, such as the place of an upload, is for the controls alone.
    """
    asked = SimpleNamespace(**given)
    for one in fields(kind):
        if "control" in one.metadata:
            found: Control = one.metadata["control"]
            shown = found.when is None or found.when(asked)
            setattr(asked, one.name, found.ask(asked, key_of(kind, prefix, one.name)) if shown else _default(one))
    return kind(**{one.name: getattr(asked, one.name) for one in fields(kind)})


def _default(one: Field) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def positions(kind: type, name: str) -> list[Any]:
    """Every value that a slider can take."""
    (found,) = (one.metadata["control"] for one in fields(kind) if one.name == name)
    return list(found.positions())
