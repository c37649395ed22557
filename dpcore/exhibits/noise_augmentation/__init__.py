"""Noise augmentation under study: simulations, pictures, utility theory, and the source's claims put to the test."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
