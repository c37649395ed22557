"""What the pages of per-instance privacy simulate, and what they compute over ranges of settings."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
