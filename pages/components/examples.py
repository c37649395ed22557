"""The menu of examples: states of a page by name, a TOML file beside it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pages.components import links, say


@dataclass(frozen=True)
class Example:
    """What widgets hold, by key, and which figure or theorem that is of."""

    state: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""


def read(page: str) -> dict[str, Example]:
    """Those in `presets.toml` beside a page's file; one that is `like` another above it says what differs."""
    found: dict[str, Example] = {}
    for name, given in tomllib.loads(Path(page).with_name("presets.toml").read_text(encoding="utf-8")).items():
        base, of = given.pop("like", None), given.pop("of", "")
        found[name] = Example({**(found[base].state if base else {}), **given}, of)
    return found


def menu(examples: Mapping[str, Example], *, key: str) -> None:
    """A button for each, which sets the widgets' values."""
    with say.popover("Examples", key=f"{key}_presets", width="stretch"):
        for name, one in examples.items():
            say.button(
                name, key=f"{key}_preset_{name}", on_click=links.give, args=(one.state,), help=one.of or None, type="tertiary",
            )  # fmt: skip
