"""Per-instance privacy in pictures."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
