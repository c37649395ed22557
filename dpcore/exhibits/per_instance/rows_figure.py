"""Per-instance privacy: the distribution of ε over the rows, and the sources of each row's exposure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpcore.data.names import grouped
from dpcore.errors import ParameterError
from dpcore.exhibits.per_instance.bins import Bins
from dpcore.figures.colors import GREEN, INK, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import largest_ratio, log_axis
from dpcore.figures.deck import Track, changing
from dpcore.figures.parts import bars
from dpcore.figures.theme import SEQUENTIAL, THEMES, TICK_SIZE, figure, plain
from dpcore.individual.all_rows.pictured import Histogram, Points
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.publication.statement import PublishedExposure


@dataclass(frozen=True)
class Marker:
    """A value of ε named on the histogram (None if it is not known).

    `role` decides the look of its line. `over` is a smaller ε, of which the words say the multiple; `digits` are those of ε.
    """

    text: str
    epsilon: float | None
    role: str
    over: float = 0.0
    digits: int = 3

    @property
    def words(self) -> str:
        """The name, ε and the multiple; "" if ε is not known."""
        if self.epsilon is None:
            return ""
        ratio = self.epsilon / self.over if self.over > 0 else 0.0
        multiple = f" ({ratio:.0f} ×)" if ratio >= 99.5 else f" ({ratio:.2g} ×)" if ratio else ""
        return f" {plain(self.text)} {self.epsilon:.{self.digits}g}{multiple} "


# Colour (if empty, that of text) and dash of each line, and its height as a multiple of the highest bar. The heights
# differ, so that words do not meet on a narrow screen either.
_FAR = 0.6  # share of the axis beyond which words stand left of their line
_PLAIN = (1e-3, 1e4)  # an axis within these ends has numbers instead of powers of ten
_ROLES = {
    "median": ("", "solid", 1.3),
    "row": (PURPLE, "solid", 1.15),
    "for_all": (GREEN, "dash", 1.1),
    "worst_case": (VERMILLION, "dot", 1.45),
}


def epsilon_histogram(binned: Histogram, markers: Sequence[Marker], mode: str) -> go.Figure:
    """Rows by ε, with the markers as vertical lines, each with its name and its ε.

    Words say how many rows have ε = 0 or ε = ∞.
    """
    fig = figure(mode, height=380, margin={"t": 40})
    fig.add_bar(
        **_bars(binned), name="rows", showlegend=False,
        marker={"color": SKY, "line": {"width": 0.5, "color": THEMES[mode].background}},
        customdata=list(pairwise(binned.edges)),
        hovertemplate=f"%{{y}} rows<br>{plain(binned.method.symbol)} from %{{customdata[0]:.4g}} to %{{customdata[1]:.4g}}<extra></extra>",
    )  # fmt: skip
    for marker in markers:
        color, dash, _ = _ROLES[marker.role]
        color = color or THEMES[mode].text
        fig.add_scatter(
            **_upright(binned, markers, marker), mode="lines+text", name=plain(marker.text), showlegend=False,
            line={"color": color, "width": 3, "dash": dash}, hoverinfo="skip", cliponaxis=False,
            textfont={"size": 15, "color": INK.get(color, color), "weight": 700},
        )  # fmt: skip
    fig.update_layout(hovermode="closest", bargap=0)
    fig.update_xaxes(title_text=f"ε of a row (nats){plain(binned.method.aside)}")
    fig.update_xaxes(**_scale(binned, markers))
    fig.update_yaxes(title_text="rows", rangemode="tozero", tickformat="~s", showgrid=False)
    apart = [
        f"{grouped(count)} rows at ε {binned.method.sign} {value}"
        for count, value in ((binned.zeros, "0"), (binned.infinite, "∞"))
        if count
    ]
    if apart:
        fig.add_annotation(
            text=plain("; ".join(apart)), xref="paper", yref="paper", x=1, xshift=-6, y=0.98, xanchor="right", showarrow=False,
            font={"size": 13, "color": THEMES[mode].muted}, bgcolor=THEMES[mode].background,
        )  # fmt: skip
    return fig


def histogram_tracks(binned: Sequence[Histogram], markers: Sequence[Sequence[Marker]]) -> tuple[Track, ...]:
    """The attributes that change in `epsilon_histogram`: bars, lines and the scale of ε.

    Raises
    ------
    ParameterError
        If the histograms have different lines.
    """
    traces = [
        [_bars(one), *(_upright(one, lines, line) for line in lines)]
        for one, lines in zip(binned, markers, strict=True)
    ]
    if len({tuple(line.role for line in lines) for lines in markers}) != 1:
        raise ParameterError("the histograms have other lines; draw the same ones at each position")
    scales = [_scale(one, lines) for one, lines in zip(binned, markers, strict=True)]
    names = sorted({name for scale in scales for name in scale})
    return tuple(
        Track(
            f"data[{place}].{name}",
            [frame[place][name] if "text" in name else np.asarray(frame[place][name], dtype=float) for frame in traces],
        )
        for place, first in enumerate(traces[0])
        for name in first
    ) + tuple(track for name in names for track in changing(f"layout.xaxis.{name}", [one.get(name) for one in scales]))


def _bars(binned: Histogram) -> dict[str, Any]:
    edges = np.asarray(binned.edges)
    low, high = edges[:-1], edges[1:]
    return {"x": (low + high) / 2, "y": binned.counts, "width": high - low}


def _upright(binned: Histogram, markers: Sequence[Marker], marker: Marker) -> dict[str, Any]:
    """A line with its words, which stand on its left if it is on the right of the axis."""
    ends = [binned.edges[0], max([binned.edges[-1], *(one.epsilon for one in markers if one.epsilon is not None)])]
    low, high, at = (math.log(one) if binned.log_scale else one for one in (*ends, marker.epsilon or ends[0]))
    side = "left" if at > low + _FAR * (high - low) else "right"
    place = np.nan if marker.epsilon is None else marker.epsilon
    top = _ROLES[marker.role][2] * max([1, *binned.counts])
    return {
        "x": np.array([place, place]),
        "y": np.array([0.0, top]),
        "text": ["", marker.words],
        "textposition": f"middle {side}",
    }


def _scale(binned: Histogram, markers: Sequence[Marker]) -> dict[str, Any]:
    """The scale of the axis of ε: logarithmic if the histogram is."""
    if not binned.log_scale:
        return {"type": "linear"}
    scale: dict[str, Any] = {}
    marked = (marker.epsilon for marker in markers if marker.epsilon is not None)
    shown = [binned.edges[0], binned.edges[-1], *marked]
    log_axis(scale.update, largest_ratio(shown))
    if scale["tickformat"] is None and min(shown) > _PLAIN[0] and max(shown) < _PLAIN[1]:
        scale |= {"tickformat": "~r", "tickfont": {"size": TICK_SIZE}}
    return scale


def scatter_title(points: Points) -> str:
    """The title of `exposure_scatter`, with the residual's name in the model."""
    return f"Leverage and {points.residual_name}"


def exposure_scatter(points: Points, mode: str) -> go.Figure:
    """Leverage against residual, coloured by ε; a row's position is its `customdata`."""
    fig = figure(mode, height=380)
    fig.add_scattergl(
        x=points.leverage, y=points.residual, mode="markers", customdata=points.rows, showlegend=False,
        text=[plain(label) for label in points.labels],
        marker={
            "color": points.epsilon, "colorscale": SEQUENTIAL[mode], "size": 7, "opacity": 0.9,
            "line": {"width": 0.5, "color": THEMES[mode].muted},
            "colorbar": {"title": {"text": plain(points.method.symbol), "side": "top"}, "thickness": 12, "outlinewidth": 0, "len": 1.1},
        },
        hovertemplate=f"row %{{text}}<br>leverage %{{x:.4g}}<br>{plain(points.residual_name)} %{{y:.4g}}"
        f"<br>{plain(points.method.symbol)} %{{marker.color:.4g}}<extra></extra>",
    )  # fmt: skip
    if points.epsilon.size:
        most = int(points.epsilon.argmax())
        fig.add_scatter(
            x=[points.leverage[most]], y=[points.residual[most]], mode="markers+text", text=[f"row {plain(points.labels[most])}"],
            textposition="bottom center", textfont={"size": 14, "color": THEMES[mode].text}, showlegend=False, hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 14, "line": {"width": 2.5}, "color": THEMES[mode].text},
        )  # fmt: skip
    fig.update_layout(hovermode="closest", dragmode="select", clickmode="event+select")
    fig.update_xaxes(title_text="leverage μ′ (in sample)", rangemode="tozero")
    fig.update_yaxes(title_text=f"{plain(points.residual_name)} r′", zeroline=True, zerolinecolor=THEMES[mode].border)
    return fig


def realised_losses(binned: Bins, mode: str) -> go.Figure:
    """Rows by the log ratio of one release, with a line at 0: to the right θ is evidence that the row is present."""
    fig = figure(mode, height=280)
    told = {"showlegend": False, "hovertemplate": "%{y} rows at %{x:.3g}<extra></extra>"}
    bars(fig, binned.edges, binned.counts, "rows", mode, **told)
    fig.add_vline(x=0, line={"color": THEMES[mode].muted, "dash": "dash", "width": 1.5})
    fig.update_layout(bargap=0, hovermode="closest")
    fig.update_xaxes(title_text="log ratio, with the row to without it (nats)")
    fig.update_yaxes(title_text="rows", rangemode="tozero")
    return fig


_BARS = 1.96  # length of an error bar, in standard deviations of the noise of one count


def published_counts(
    found: PublishedExposure,
    mode: str,
    *,
    confidential: Sequence[int] | None = None,
    method: EpsilonMethod = EpsilonMethod.EXACT,
) -> go.Figure:
    """Noisy counts by the bound of ε, with error bars for the noise; confidential counts of ε itself as a stepped line.

    Parameters
    ----------
    found : what was published
    mode : "light" or "dark"
    confidential : rows by their own ε in the same bins; must be left out of anything that is published
    method : how the confidential ε are computed
    """
    fig = figure(mode, height=330)
    ends = found.edges[1:]
    edges = [ends[0] ** 2 / ends[1], *ends]
    bars(
        fig, edges, found.counts, "published: rows by the bound of ε", mode, customdata=list(pairwise(edges)),
        error_y={"type": "constant", "value": _BARS * found.count_sigma, "color": THEMES[mode].text, "thickness": 1.2, "width": 2},
        hovertemplate="%{y} rows, with noise<br>bound of ε from %{customdata[0]:.4g} to %{customdata[1]:.4g}<extra></extra>",
    )  # fmt: skip
    if confidential is not None:
        fig.add_scatter(
            x=edges, y=[*confidential, confidential[-1]], mode="lines", name=f"confidential: rows by ε{plain(method.aside)}",
            line={"color": VERMILLION, "width": 2.5, "shape": "hv", "dash": "dash"},
            hovertemplate="%{y} rows, confidential<extra></extra>",
        )  # fmt: skip
    fig.update_layout(hovermode="closest", bargap=0)
    fig.update_xaxes(title_text="ε, and its bound (nats)")
    log_axis(fig.update_xaxes, edges[-1] / edges[0])
    fig.update_yaxes(title_text="rows", tickformat="~s")
    return fig
