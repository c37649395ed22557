"""The second half of the opening figure: the two errors of a threshold, on the trade-off curve of the best attacks."""

import plotly.graph_objects as go

from dpcore.exhibits.home.study import Threshold
from dpcore.figures.colors import BLUE, ORANGE, VERMILLION
from dpcore.figures.theme import THEMES, figure
from dpcore.profiles.curves import Curve

WITHOUT, WITH, THRESHOLD = BLUE, VERMILLION, ORANGE


def attack_figure(tradeoff: Curve, at: Threshold, mode: str) -> go.Figure:
    """Misses against false alarms of the best attacks, and the errors of the threshold as a point."""
    tokens, (x, y) = THEMES[mode], (at.false_alarms, at.misses)
    line = {"type": "scatter", "mode": "lines"}
    guide = line | {"showlegend": False, "hoverinfo": "skip"}
    guides = [
        {**guide, "x": a, "y": b, "line": {"color": color, "width": 2, "dash": "dot"}}
        for a, b, color in (([x, x], [0, y], WITHOUT), ([0, x], [y, y], WITH))
    ]
    return figure(
        mode,
        [
            {**line, "x": tradeoff.x, "y": tradeoff.y, "name": "best attacks", "line": {"color": tokens.text, "width": 3},
             "hovertemplate": "false alarms %{x:.3f}<br>misses %{y:.3f}<extra></extra>"},
            {**line, "x": [0, 1], "y": [1, 0], "name": "guessing", "hoverinfo": "skip",
             "line": {"color": tokens.muted, "width": 1.5, "dash": "dashdot"}},
            *guides,
            {"type": "scatter", "x": [x], "y": [y], "name": "your threshold", "mode": "markers", "hoverinfo": "skip",
             "marker": {"color": THRESHOLD, "size": 14, "line": {"color": tokens.background, "width": 2}}},
        ],
        height=290,
        hovermode="closest",
        margin={"t": 40, "b": 44},
        xaxis={"title": {"text": "false alarms"}, "range": [0, 1]},
        yaxis={"title": {"text": "misses"}, "range": [0, 1.02]},
    )  # fmt: skip
