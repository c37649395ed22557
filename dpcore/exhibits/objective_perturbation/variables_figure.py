"""A lattice of noises, and the minimisers it leads to with and without a record."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.exhibits.objective_perturbation.change_of_variables import Change
from dpcore.figures.theme import BLUE, GREY, THEMES, VERMILLION, plain, template

_Lines = list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def lattice_figure(lattice: _Lines, change: Change, mode: str) -> go.Figure:
    """Noises at the left, minimisers at the right; where the lattice opens wider, the density is lower.

    Parameters
    ----------
    lattice : lines of noises with the minimisers they lead to
    change : the θ looked at and the two noises that lead to it
    mode : "light" or "dark"
    """
    fig = make_subplots(
        cols=2,
        horizontal_spacing=0.1,
        subplot_titles=("Noise b", "Minimiser θ that it leads to"),
        column_widths=[0.5, 0.5],
    )
    sides = (("with z", 1, BLUE, "solid", change.whole), ("without z", 2, VERMILLION, "dot", change.rest))
    _add(fig, [line[0] for line in lattice], "noises", GREY, "solid", 1)
    for name, place, color, dash, side in sides:
        _add(fig, [line[place] for line in lattice], name, color, dash, 2)
        fig.add_scatter(
            x=side.noise[:1], y=side.noise[1:], name=f"b of θ {plain(name)}", mode="markers",
            marker={"color": color, "size": 11, "symbol": "x" if place == 1 else "circle-open", "line": {"width": 2, "color": color}},
            hovertemplate="b = (%{x:.4g}, %{y:.4g})", col=1, row=1,
        )  # fmt: skip
    fig.add_scatter(
        x=change.theta[:1], y=change.theta[1:], name="θ", mode="markers",
        marker={"color": THEMES[mode].text, "size": 11}, hovertemplate="θ = (%{x:.4g}, %{y:.4g})", col=2, row=1,
    )  # fmt: skip
    fig.update_layout(template=template(mode), height=430, legend={"y": -0.2, "yanchor": "top"}, hovermode="closest")
    fig.update_annotations(font_color=THEMES[mode].text, font_size=13)
    for col, name in ((1, "b"), (2, "θ")):
        fig.update_xaxes(title_text=f"{plain(name)}<sub>1</sub>", showgrid=False, col=col, row=1)
        fig.update_yaxes(title_text=f"{plain(name)}<sub>2</sub>", showgrid=False, col=col, row=1)
    return fig


def _add(fig: go.Figure, lines: list[np.ndarray], name: str, color: str, dash: str, col: int) -> None:
    """Lines as one trace with gaps."""
    x, y = ([value for line in lines for value in (*line[:, axis].tolist(), None)] for axis in (0, 1))
    fig.add_scatter(
        x=x,
        y=y,
        name=plain(name),
        mode="lines",
        line={"color": color, "width": 2, "dash": dash},
        hoverinfo="skip",
        col=col,
        row=1,
    )
