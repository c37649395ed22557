"""Take away a figure, its data, or a link to the exact state."""

import html
import json
from collections.abc import Callable
from urllib.parse import urlencode

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.offline import get_plotlyjs

from dpcore.data import safe_csv
from dpcore.figures.frames import unanswered
from dpcore.figures.sizes import fit
from dpcore.figures.theme import for_the_last_row, restyle
from pages.components import full_window, running_order, say, screen
from pages.components.live import Taken

HERE = "Share"  # the tab in which a link stands, which the link itself leaves out
CHART_CONFIG = {
    "displayModeBar": "hover",
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "png", "scale": 2},
}

_IMAGE_PAGE = """<!doctype html><meta charset="utf-8"><style>
button {{ font: 15px "Source Sans", "Segoe UI", Arial, sans-serif; padding: .45rem .9rem; margin: 0 .5rem .5rem 0;
  border: 1px solid #9aa7b4; border-radius: .5rem; background: #fff; color: #1b2430; cursor: pointer; }}
button:hover, button:focus-visible {{ border-color: #0b6e99; color: #0b6e99; outline: none; }}
</style><button id="png">Save PNG</button><button id="svg">Save SVG</button><script>{plotly}</script><script>
const figure = {figure};
for (const format of ["png", "svg"]) document.getElementById(format).onclick = () =>
  Plotly.downloadImage(figure, {{format, width: 1200, height: 675, scale: format === "png" ? 2 : 1, filename: {name}}});
</script>"""


def chart(fig: go.Figure, *, key: str, alt: str, **options: object) -> object:
    """A chart in the house style, with its description for screen readers; of an open question without what answers it."""
    if running_order.covered():
        fig = unanswered(fig)
    if full_window.is_on():
        fig, options = for_the_last_row(fig), options | {"height": "stretch"}
    else:
        fig = fit(fig, screen.size())
    return st.plotly_chart(fig, theme=None, key=key, alt=alt, config=chart_config(), **options)


def chart_config() -> dict[str, object]:
    """How charts behave: tools where a mouse points at them, none on a phone, where they would stay over the legend."""
    return CHART_CONFIG | ({"displayModeBar": False} if screen.size() == "phone" else {})


def figure_html(fig: go.Figure, note: str = "") -> str:
    """One self-contained page that needs no internet: the figure, light, with its note."""
    page = restyle(fig, "light").to_html(include_plotlyjs=True, full_html=True, config=CHART_CONFIG, auto_play=False)
    text = html.escape(note)
    return (
        page.replace("</body>", f"<p style='font-family:sans-serif;max-width:60rem'>{text}</p></body>")
        if note
        else page
    )


def _json_for_script(text: str) -> str:
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def image_buttons(fig: go.Figure, name: str) -> None:
    """PNG and SVG, drawn by the reader's own browser."""
    page = _IMAGE_PAGE.format(
        plotly=get_plotlyjs(),
        figure=_json_for_script(restyle(fig, "light").to_json()),
        name=_json_for_script(json.dumps(name)),
    )
    st.iframe(page, height=56, alt="Buttons that save the figure as PNG or SVG")


def downloads(
    figures: dict[str, go.Figure],
    frame: pd.DataFrame | Callable[[], pd.DataFrame],
    name: str,
    *,
    note: str = "",
    moves: Taken | None = None,
) -> None:
    """Download buttons for each figure (HTML, PNG, SVG) and for the data behind them (CSV), made when clicked.

    Parameters
    ----------
    figures : by title
    frame : the data, or what makes them
    name : of the files
    note : shown with each figure and above the data
    moves : how the HTML files stay live
    """
    with st.container(horizontal=True):
        for title, fig in figures.items():
            say.download_button(
                f"{title} (HTML)",
                data=lambda title=title, fig=fig: figure_html(moves.moving(title, fig) if moves else fig, note),
                file_name=f"{name}_{_slug(title)}.html",
                mime="text/html",
                on_click="ignore",
                key=f"html_{name}_{title}",
            )
        say.download_button(
            "Data (CSV)",
            data=lambda: (f"# {note}\n".encode() if note else b"") + safe_csv(frame() if callable(frame) else frame),
            file_name=f"{name}.csv",
            mime="text/csv",
            on_click="ignore",
            key=f"csv_{name}",
        )
    if figures and say.toggle(
        "PNG and SVG", key=f"images_{name}", bind=None, help="Rendered by this browser; nothing is sent anywhere."
    ):
        for title, fig in figures.items():
            say.caption(title)
            image_buttons(fig, f"{name}_{_slug(title)}")
    if note:
        say.caption(note)


def _slug(title: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in title.lower()).strip("_") or "figure"


def link() -> None:
    """The address that reproduces what is on screen."""
    said = {name: st.query_params.get_all(name) for name in sorted(st.query_params)}
    query = urlencode({name: values for name, values in said.items() if values != [HERE]}, doseq=True)
    address = (st.context.url or "").split("?")[0]
    say.caption("This link reproduces the controls. It never contains data, nor what was chosen of an uploaded file.")
    st.code(f"{address}?{query}" if query else address, language=None)


def take(
    figures: dict[str, go.Figure],
    frame: pd.DataFrame | Callable[[], pd.DataFrame],
    name: str,
    *,
    note: str = "",
    moves: Taken | None = None,
) -> None:
    """What can be taken away: the downloads, then the link.

    Parameters
    ----------
    figures, frame, name, note, moves : as of `downloads`
    """
    downloads(figures, frame, name, note=note, moves=moves)
    link()
