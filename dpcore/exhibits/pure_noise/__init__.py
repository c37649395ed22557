"""What pure ε-DP costs: the numbers and charts of the page."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
