"""What all figures share: the theme, axes and curves, sizes, and frames that follow a slider."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
