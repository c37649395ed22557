"""Private learners: each chooses its parameters from public facts, then `fit(dataset, rng)` gives a `Release`."""

from dpcore.learners.base import Learner, Plan, PublicFacts, Release

__all__ = ["Learner", "Plan", "PublicFacts", "Release"]
