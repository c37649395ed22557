"""Figures of a report that is read without the app; one copy of plotly.js inside the page draws them."""

import json
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from dpcore.exhibits.per_instance.rows_figure import Marker, epsilon_histogram, exposure_scatter, scatter_title
from dpcore.figures.theme import SEQUENTIAL, restyle
from dpcore.individual.all_rows.summary import ExposureSummary

_CONFIG = {"displaylogo": False, "responsive": True, "toImageButtonOptions": {"format": "png", "scale": 2}}
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def summary_figures(summary: ExposureSummary, mode: str = "light") -> dict[str, go.Figure]:
    """The distribution of ε over the rows, and leverage against residual, by title.

    Lines for other records are drawn only if there is a guarantee for these.
    """
    beyond = (
        ("worst record, these data", summary.for_all, "for_all"),
        ("worst record, any data", summary.worst_case, "worst_case"),
    )
    values = (("median row", summary.quantiles[0.5], "median"), *(() if summary.assumptions.no_guarantee else beyond))
    markers = [Marker(text, value, role) for text, value, role in values if value]
    return {
        "Distribution of exposure": epsilon_histogram(summary.histogram, markers, mode),
        scatter_title(summary.points): exposure_scatter(summary.points, mode),
    }


def library() -> str:
    """plotly.js, changed so that it cannot end the script element around it."""
    return get_plotlyjs().replace("</script", "<\\/script")


def drawing(figures: Sequence[go.Figure], places: Sequence[str]) -> str:
    """A script that draws each figure in the light theme into the element with its id; no text can end the script."""
    calls = []
    for figure, place in zip(figures, places, strict=True):
        content = restyle(figure, "light").to_dict()
        for trace in content["data"]:
            # "scatter" is drawn without WebGL too
            trace["type"] = {"scattergl": "scatter"}.get(trace["type"], trace["type"])
            if "colorscale" in trace.get("marker", {}):
                trace["marker"]["colorscale"] = SEQUENTIAL["light"]
        text = go.Figure(content).to_json()
        for character, escape in _UNSAFE.items():
            text = text.replace(character, escape)
        calls.append(f"Plotly.newPlot({json.dumps(place)}, Object.assign({text}, {{config: {json.dumps(_CONFIG)}}}));")
    return "\n".join(calls)
