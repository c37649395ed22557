"""Which private learner to use: the numbers and the chart of the page."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
