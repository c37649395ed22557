"""What a page simulates, sweeps or compares: one module or folder a page."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
