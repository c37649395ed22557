"""Rows in pieces: in memory, from a file, on a cluster; written to a file, or shown page by page."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
