"""Pairs of strongly log-concave densities on a line, chosen or drawn."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
