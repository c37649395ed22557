"""A button that moves the main slider by itself, so that everything that follows the slider is animated."""

from pages.components import unseen

_mount = unseen.script(__file__, html='<button class="play" type="button">▶ Play</button>')


def button() -> None:
    """Show the button at the current place, beside the main slider."""
    _mount(key="play")
