"""Composition: certified numerical accounting, Rényi accounting, composition theorems, private tuning."""

from dpcore.accountants.composition import METHODS, compose

__all__ = ["METHODS", "compose"]
