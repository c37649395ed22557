"""Figure builders: results in, Plotly figures out; nothing is computed here."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
