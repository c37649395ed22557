"""The menu of examples: named states of a page, from a TOML file beside it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pages.components import links, say


@dataclass(frozen=True)
class Example:
    """Values of widgets by key, and the figure or theorem that they show."""

    state: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""


def read(page: str) -> dict[str, Example]:
    """The examples in `presets.toml` beside a page's file; one `like` another one above it states only differences."""
    found: dict[str, Example] = {}
    for name, given in tomllib.loads(Path(page).with_name("presets.toml").read_text(encoding="utf-8")).items():
        base, of = given.pop("like", None), given.pop("of", "")
        found[name] = Example({**(found[base].state if base else {}), **given}, of)
    return found


def menu(examples: Mapping[str, Example], *, key: str) -> None:
    """A button for each example, which sets the values of the widgets."""
    with say.popover("Examples", key=f"{key}_presets", width="stretch"):
        for name, one in examples.items():
            say.button(
                name, key=f"{key}_preset_{name}", on_click=links.give, args=(one.state,), help=one.of or None, type="tertiary",
            )  # fmt: skip
