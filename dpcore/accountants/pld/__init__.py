"""The bracket accountant: each loss discretised from both sides, convolved, every error added or taken away."""

from dpcore.accountants.pld.accountant import Accountant
from dpcore.accountants.pld.composed import ComposedCurve

__all__ = ["Accountant", "ComposedCurve"]
