"""Each act of a reader is one step of the browser's history, which Back undoes. A new place is shown from its top."""

from pages.components import unseen

_mount = unseen.script(__file__)


def watch() -> None:
    """Start the script that makes each act of the reader one step of the browser's history."""
    _mount(key="steps", data={"place": ""})


def place(name: str) -> None:
    """Say where the reader is on this page; when this changes, the browser scrolls to the top."""
    _mount(key="place", data={"place": name})
