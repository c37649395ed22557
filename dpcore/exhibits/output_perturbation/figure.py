"""Output perturbation against λ: sensitivity and noise, and its two errors, of which one grows and one falls."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.figures.colors import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.figures.curves import named_dots, steady_ends, traces, upright
from dpcore.figures.theme import decades, figure, plain, two_columns
from dpcore.profiles.curves import Curve

COLORS = {
    "Sensitivity L/λ": VERMILLION,
    "Adversarial data": PURPLE,
    "Measured change": GREEN,
    "Analytic noise": BLUE,
    "Classical noise": ORANGE,
    "Bias": PURPLE,
    "Spread": SKY,
    "Total, measured": BLUE,
    "Bound on the mean": GREEN,
    "Bound by χ²": ORANGE,
    "Without smoothness": "#8C6D31",
    "Bound of the lecture": VERMILLION,
    "Noise in objective": "#9467BD",
}

_IN_WORDS = {"Bias": "Bias: regularisation", "Spread": "Variance: noise"}


def lambda_figure(
    curves: Sequence[Curve], at: float, title: str, mode: str, *, across: str = "regularisation λ",
    marked: Sequence[tuple[float, float, str]] = (),
) -> go.Figure:  # fmt: skip
    """Curves against λ on logarithmic axes, the λ looked at as a line.

    Parameters
    ----------
    curves : what to draw
    at : λ of the line
    title : of the vertical axis
    mode : "light" or "dark"
    across : title of the axis of λ
    marked : points of the total, each with its words
    """
    lines = traces(curves, COLORS, "%{y:.3g}")
    for trace, curve in zip(lines, curves, strict=True):
        trace["name"] = plain(_label(curve))
        if curve.name == "Total, measured":
            trace["line"] |= {"width": 4, "dash": "solid"}
    return figure(
        mode,
        [*lines, *([named_dots(marked, [COLORS["Total, measured"]] * len(marked))] if marked else [])],
        height=400,
        xaxis={"title": {"text": plain(across)}, **decades(), "unifiedhovertitle": {"text": "λ = %{x:.3g}"}},
        yaxis={"title": {"text": plain(title)}, **decades(2), "range": list(_ends(curves))},
        shapes=[upright(mode, at)],
        legend=two_columns(trace["name"] for trace in lines),
    )


def _ends(curves: Sequence[Curve]) -> tuple[float, float]:
    """Ends of the vertical axis.

    Noise in the objective is left out, since it may cost any amount if λ is too small for the budget.
    """
    return steady_ends([curve for curve in curves if curve.name != "Noise in objective"], 3)


def _label(curve: Curve) -> str:
    return "Classical, refuted" if curve.bound.value.startswith("claimed") else _IN_WORDS.get(curve.name, curve.name)
