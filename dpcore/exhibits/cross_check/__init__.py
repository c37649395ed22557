"""Cross-check: what the page draws."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
