"""What pure noise costs: what the page computes and draws."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
