"""A run checked: both certified sides of its ε over δ, and what its tool said; runs recorded from each library."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
