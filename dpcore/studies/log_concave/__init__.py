"""Pairs of strongly log-concave densities on a line, chosen or drawn."""
