"""The bracket accountant: each loss put on a grid from above, convolved, every error added or taken away."""

from dpcore.accountants.pld.composed import Accountant, ComposedCurve

__all__ = ["Accountant", "ComposedCurve"]
