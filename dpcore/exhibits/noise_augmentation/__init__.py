"""Noise augmentation: simulations, pictures, utility theory, and tests of the source's claims."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
