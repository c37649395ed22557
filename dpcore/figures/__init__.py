"""What all figures share: the theme, axes and curves, sizes, and frames that a slider selects."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
