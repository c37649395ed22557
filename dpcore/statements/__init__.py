"""Index of the sources' numbered statements: where each is implemented, shown, corrected and tested."""

from dpcore.statements.entries import STATEMENTS, Entry, PrintedStatement, index

__all__ = ["STATEMENTS", "Entry", "PrintedStatement", "index"]
