"""Composition: certified numerical accounting, Rényi accounting, composition theorems, private tuning."""

from dpcore.accountants.methods import METHODS, compose
from dpcore.accountants.tuning import Tuned

__all__ = ["METHODS", "Tuned", "compose"]
