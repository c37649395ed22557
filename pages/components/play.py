"""A button that moves the main slider by itself, so that everything that follows the slider plays like a film."""

from pages.components import unseen

_mount = unseen.script(__file__, html='<button class="play" type="button">▶ Play</button>')


def button() -> None:
    """Beside the main slider."""
    _mount(key="play")
