"""What a privacy guarantee is: profiles, brackets around them, Rényi curves, and their sampled curves."""

from dpcore.profiles.bracket import Bracket, Midpoint
from dpcore.profiles.profile import DIRECTIONS, OPPOSITE, Bound, Lattice, Moment, Nodes, PrivacyProfile

__all__ = ["DIRECTIONS", "OPPOSITE", "Bound", "Bracket", "Lattice", "Midpoint", "Moment", "Nodes", "PrivacyProfile"]
