"""What a reader does is one step of the browser's history, which Back undoes; a new place begins at its top."""

from pages.components import unseen

_mount = unseen.script(__file__)


def watch() -> None:
    """Have the browser count steps."""
    _mount(key="steps", data={"place": ""})


def place(name: str) -> None:
    """Where the reader is on this page: when that changes, the browser shows the top."""
    _mount(key="place", data={"place": name})
