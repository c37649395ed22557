"""What was published of the distribution of ε, and beside it what was not."""

from collections.abc import Sequence
from itertools import pairwise

import plotly.graph_objects as go

from dpcore.figures.colors import VERMILLION
from dpcore.figures.curves import log_axis
from dpcore.figures.parts import bars
from dpcore.figures.theme import THEMES, figure, plain
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.publication.statement import PublishedExposure

_BARS = 1.96  # standard deviations of the noise of one count


def published_counts(
    found: PublishedExposure,
    mode: str,
    *,
    confidential: Sequence[int] | None = None,
    method: EpsilonMethod = EpsilonMethod.EXACT,
) -> go.Figure:
    """Noisy counts by the bound of ε with the noise as bars; the confidential counts of ε itself as a stepped line.

    Parameters
    ----------
    found : what was published
    mode : "light" or "dark"
    confidential : rows by their own ε in the same bins; left out of anything that is published
    method : what the confidential ε are
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
