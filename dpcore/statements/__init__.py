"""Index of the sources' numbered statements: where each is implemented, shown, corrected and tested."""

from dpcore.statements.entries import Entry, index
from dpcore.statements.printed import STATEMENTS, PrintedStatement

__all__ = ["STATEMENTS", "Entry", "PrintedStatement", "index"]
