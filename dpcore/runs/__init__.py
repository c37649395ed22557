"""Runs that other tools made: read without their code, bounded from both sides, beside what the tool said."""
