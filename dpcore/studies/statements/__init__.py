"""Index of the sources' numbered statements: where each is implemented, shown, corrected and tested."""

from dpcore.studies.statements.entries import Entry, index
from dpcore.studies.statements.printed import STATEMENTS, PrintedStatement

__all__ = ["STATEMENTS", "Entry", "PrintedStatement", "index"]
