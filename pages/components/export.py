"""Export a figure, its data, or a link to the exact state."""

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.offline import get_plotlyjs

from dpcore.data import safe_csv
from dpcore.data.names import visible
from dpcore.figures.frames import unanswered
from dpcore.figures.sizes import fit
from dpcore.figures.theme import for_the_last_row, restyle
from dpcore.references import REFERENCES, FormulaCard
from pages.components import full_window, running_order, say, screen
from pages.components.live import Taken

HERE = "Share"  # name of the tab that shows the link; the link does not contain it
_KEPT = re.compile("([\u00a0\u202f])")  # no-break spaces, which are kept
_ALONE = 560  # least height in pixels of a figure in a file, where it is as wide as a page
CHART_CONFIG = {
    "displayModeBar": "hover",
    "displaylogo": False,
    # The tool "toImage" is removed, since its picture would have no caption.
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "toImage"],
}

_HERE = Path(__file__).parent
_PAGE_STYLE = f"<style>{(_HERE / 'export.css').read_text(encoding='utf-8')}</style>"
_IMAGE_PAGE = (_HERE / "image.html").read_text(encoding="utf-8")
_IMAGE_SCRIPT = (_HERE / "image.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class About:
    """The words that go with a figure in a file.

    Parameters
    ----------
    finding : the headline of its page
    captions : what is drawn, in one line, by the title of the figure
    sources : the full texts of its sources
    note : whether it may be shown to others
    """

    finding: str = ""
    captions: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[str] = ()
    note: str = ""

    @classmethod
    def of(
        cls, finding: str, captions: Mapping[str, str], formulas: Iterable[FormulaCard] = (), note: str = ""
    ) -> "About":
        """The words, with the sources of the formulas."""
        keys = dict.fromkeys(key for card in formulas for key in card.references)
        one_line = "".join(part if _KEPT.match(part) else visible(part) for part in _KEPT.split(finding))
        return cls(one_line, captions, tuple(REFERENCES[key].text for key in keys), note)


def chart(fig: go.Figure, *, key: str, alt: str, **options: object) -> object:
    """Show a chart with its description for screen readers; while a question is open, without what answers it."""
    if running_order.covered():
        fig = unanswered(fig)
    if full_window.is_on():
        fig, options = for_the_last_row(fig), options | {"height": "stretch"}
    else:
        fig = fit(fig, screen.size())
    return st.plotly_chart(fig, theme=None, key=key, alt=alt, config=chart_config(), **options)


def chart_config() -> dict[str, object]:
    """Plotly's configuration: tools appear under the pointer; a phone has none, since they would cover the legend."""
    return CHART_CONFIG | ({"displayModeBar": False} if screen.size() == "phone" else {})


def alone(fig: go.Figure) -> go.Figure:
    """The figure for a file: in the light theme, with its own legend (on screen it may share one), and high enough."""
    fig = restyle(fig, "light")
    if sum(bool(trace.name) for trace in fig.select_traces({"type": "scatter"})) > 1:
        fig.layout.showlegend = None
    return fig.update_layout(height=max(_ALONE, fig.layout.height or 0))


def figure_html(fig: go.Figure, title: str, about: About, stated: str) -> str:
    """One page that needs no network: the finding, the figure, its caption, its sources, and its address.

    Parameters
    ----------
    fig, title : the figure and its name
    about : the words that go with it
    stated : the address that reproduces it
    """
    page = alone(fig).to_html(include_plotlyjs=True, full_html=True, config=CHART_CONFIG, auto_play=False)
    head, *foot = _words(fig, title, about, stated)
    said = "".join(f"<p>{html.escape(line)}</p>" for line in foot[1:-1])
    if stated:
        said += f"<p><a href='{html.escape(stated)}'>{html.escape(stated)}</a></p>"
    begins = f"<title>{html.escape(head)}</title>{_PAGE_STYLE}</head>"
    page = page.replace("</head>", begins, 1).replace(
        "<body>", f"<body><h1>{html.escape(head)}</h1><p>{html.escape(foot[0])}</p>", 1
    )
    return f"<footer>{said}</footer></body>".join(page.rsplit("</body>", 1))


def _words(fig: go.Figure, title: str, about: About, stated: str) -> list[str]:
    """The finding, the caption, and the lines below the figure: note, a remark on the slider, sources, address."""
    moves = "The heading is true where the slider stood when this file was made." if fig.frames else ""
    sources = "Sources: " + " ".join(about.sources) if about.sources else ""
    below = [line for line in (about.note, moves, sources) if line]
    return [about.finding or title, about.captions.get(title, title), *below, stated]


def _json_for_script(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def image_buttons(fig: go.Figure, name: str, words: Sequence[str]) -> None:
    """Buttons for PNG and SVG, drawn by the reader's browser, with two texts above the figure and the others below."""
    page = _IMAGE_PAGE.format(
        plotly=get_plotlyjs(), figure=_json_for_script(alone(fig).to_json()), words=_json_for_script(list(words)),
        name=_json_for_script(json.dumps(name)), script=_IMAGE_SCRIPT,
    )  # fmt: skip
    st.iframe(page, height=56, alt="Buttons that save the figure as PNG or SVG")


def downloads(
    figures: Mapping[str, go.Figure], frame: Callable[[], pd.DataFrame], name: str, about: About, *, moves: Taken | None = None,
    columns: str = "",
) -> None:  # fmt: skip
    """Download buttons for each figure (HTML, PNG, SVG) and for the data behind them (CSV), made when clicked.

    Parameters
    ----------
    figures : figures by title
    frame : function that makes the data
    name : name of the files
    about : words that go with the figures; its note is the first line of the data too
    moves : function that lets the figures in HTML files move; None for still figures
    columns : sentences on what columns of the data mean, after the note
    """
    note, stated = about.note, address()
    first = f"# {note} {columns}".rstrip() + "\n" if note or columns else ""
    with st.container(horizontal=True):
        for title, fig in figures.items():
            say.download_button(
                f"{title} (HTML)",
                data=lambda title=title, fig=fig: figure_html(
                    moves(title, fig) if moves else fig, title, about, stated
                ),
                file_name=f"{name}_{_slug(title)}.html", mime="text/html", on_click="ignore", key=f"html_{name}_{title}",
            )  # fmt: skip
        say.download_button(
            "Data (CSV)", data=lambda: first.encode() + safe_csv(frame()), file_name=f"{name}.csv",
            mime="text/csv", on_click="ignore", key=f"csv_{name}",
        )  # fmt: skip
    if figures and say.toggle(
        "PNG and SVG", key=f"images_{name}", bind=None, help="Rendered by this browser; nothing is sent anywhere."
    ):
        for title, fig in figures.items():
            say.caption(title)
            image_buttons(fig, f"{name}_{_slug(title)}", _words(fig, title, about, stated))
    if note:
        say.caption(note)


def _slug(title: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in title.lower()).strip("_") or "figure"


def address() -> str:
    """The address that reproduces what is on screen."""
    held = {name: st.query_params.get_all(name) for name in sorted(st.query_params)}
    query = urlencode({name: values for name, values in held.items() if values != [HERE]}, doseq=True)
    page = (st.context.url or "").split("?")[0]
    return f"{page}?{query}" if query else page


def link() -> None:
    """Show that address, so that it can be copied."""
    say.caption("This link reproduces the controls. It never contains data, nor what was chosen of an uploaded file.")
    st.code(address(), language=None)
