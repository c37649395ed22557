"""A lattice of noises, and the minimisers it leads to with and without a record."""

import numpy as np
import plotly.graph_objects as go

from dpcore.exhibits.objective_perturbation.change_of_variables import Change
from dpcore.figures.colors import BLUE, GREY, VERMILLION
from dpcore.figures.parts import dots, line, panels
from dpcore.figures.theme import THEMES, plain

_Lines = list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def lattice_figure(lattice: _Lines, change: Change, mode: str) -> go.Figure:
    """Noises at the left, minimisers at the right; where the lattice opens wider, the density is lower.

    Parameters
    ----------
    lattice : lines of noises with the minimisers they lead to
    change : the θ looked at and the two noises that lead to it
    mode : "light" or "dark"
    """
    fig = panels(mode, ("Noise b", "Minimiser θ that it leads to"), height=430)
    sides = (("with z", 1, BLUE, "solid", change.whole), ("without z", 2, VERMILLION, "dot", change.rest))
    _add(fig, [line[0] for line in lattice], "noises", GREY, "solid", 1)
    for name, place, color, dash, side in sides:
        _add(fig, [line[place] for line in lattice], name, color, dash, 2)
        symbol, edge = "x" if place == 1 else "circle-open", {"width": 2, "color": color}
        marker, told = {"color": color, "size": 11, "symbol": symbol, "line": edge}, "b = (%{x:.4g}, %{y:.4g})"
        dots(fig, side.noise[:1], side.noise[1:], f"b of θ {name}", marker, told, col=1, row=1)
    marker, told = {"color": THEMES[mode].text, "size": 11}, "θ = (%{x:.4g}, %{y:.4g})"
    dots(fig, change.theta[:1], change.theta[1:], "θ", marker, told, col=2, row=1)
    for col, name in ((1, "b"), (2, "θ")):
        fig.update_xaxes(title_text=f"{plain(name)}<sub>1</sub>", showgrid=False, col=col, row=1)
        fig.update_yaxes(title_text=f"{plain(name)}<sub>2</sub>", showgrid=False, col=col, row=1)
    return fig


def _add(fig: go.Figure, lines: list[np.ndarray], name: str, color: str, dash: str, col: int) -> None:
    """Lines as one trace with gaps."""
    x, y = ([value for line in lines for value in (*line[:, axis].tolist(), None)] for axis in (0, 1))
    line(fig, x, y, name, color, dash, 2, None, col=col, row=1)
