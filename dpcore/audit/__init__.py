"""Checks that share no code with what they check."""
