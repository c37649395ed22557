"""`python -m dpcore check FILE`: the certified bracket of a run beside what its tool said."""

import argparse
import sys
from pathlib import Path

from dpcore.runs.check import CheckedRun, check_run

REFUTED = 1  # exit code where the claim is refuted


def check(chosen: argparse.Namespace) -> int:
    """Print the bracket, the claim and every flag; the exit code is 1 where the claim is refuted."""
    found = check_run(sys.stdin.buffer.read() if chosen.file == "-" else Path(chosen.file), chosen.delta)
    print(in_one_line(found))
    for sentence in found.flags:
        print(f"- {sentence}")
    return REFUTED if found.verdict == "refuted" else 0


def in_one_line(found: CheckedRun) -> str:
    """One line: the tool, what it said, and both sides of ε."""
    said = "" if found.claim is None else f" said ε = {found.claim[0]:.6g} at δ = {found.claim[1]:g}; certified"
    return f"{found.tool}{said}: ε from {found.epsilon[0]:.6g} to {found.epsilon[1]:.6g} at δ = {found.delta:g}"
