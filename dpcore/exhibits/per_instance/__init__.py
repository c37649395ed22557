"""What the pages of per-instance privacy simulate and sweep."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
