"""Noise augmentation in three panels: the rows, the penalty that they act as, and what one record gives away."""

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.exhibits.noise_augmentation.pictures import GivenAway, RealisedPicture, RowPicture
from dpcore.figures.colors import BLUE, GREY, INK, VERMILLION
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import THEMES, plain, template

_HEIGHT, _STACKED = 350, 560  # height side by side, and one below the other
_ROOM = (
    1.4  # height of the third axis in units of its curves, so that the names stand above; doubled, the curves are low
)
_ROW = 19  # height of a name in a panel, in pixels; doubled, three names fill half of it


def story_figure(
    rows: RowPicture, realised: RealisedPicture, given: GivenAway, mode: str, *, titles: tuple[str, str, str], told: str,
    stacked: bool = False,
) -> go.Figure:  # fmt: skip
    """Data and appended rows; asked and realised penalty; both output laws, with what only the record can cause shaded.

    Parameters
    ----------
    rows, realised, given : the three pictures
    mode : "light" or "dark"
    titles : of the panels
    told : words of the shaded area
    stacked : whether the panels stand one below the other
    """
    shape: dict[str, Any] = (
        {"rows": 3, "vertical_spacing": 0.14} if stacked else {"cols": 3, "horizontal_spacing": 0.075}
    )
    fig = make_subplots(**shape, subplot_titles=[f"<b>{plain(title)}</b>" for title in titles])
    fig.update_annotations(font={"size": 15, "color": THEMES[mode].text})
    places = [{"row": i, "col": 1} if stacked else {"row": 1, "col": i} for i in (1, 2, 3)]
    first, second, third = places
    crosses = {"color": VERMILLION, "size": 6, "symbol": "x-thin-open", "line": {"width": 1.5}}
    dots(fig, rows.rows[:, 0], rows.rows[:, 1], "noise rows", crosses, None, **first)
    dots(fig, rows.data[:, 0], rows.data[:, 1], "data", {"color": GREY, "size": 5, "opacity": 0.7}, None, **first)
    line(fig, realised.theta, realised.target, "asked for", GREY, "dot", 3, "%{y:.3g}", **second)
    circles = {"color": BLUE, "size": 8}
    dots(fig, realised.crosses, realised.empirical, "what the rows act as", circles, "%{y:.3g}", **second)
    shade = {"fill": "tozeroy", "fillcolor": faint(VERMILLION, 0.55)}
    line(fig, given.theta, given.excess, "given away", VERMILLION, None, 0, None, **shade, **third)
    line(fig, given.theta, given.absent, "without the record", GREY, "dash", 2.5, "%{y:.3g}", **third)
    line(fig, given.theta, given.present, "with the record", BLUE, None, 2.5, "%{y:.3g}", **third)
    for i, names in enumerate((
        (("● data", GREY), ("× noise rows", INK[VERMILLION])),
        (("● the rows’ loss", BLUE), ("⋯ the lasso", GREY)),
        (("without the record", GREY), ("with the record", BLUE), (told, INK[VERMILLION])),
    )):  # fmt: skip
        for k, (words, color) in enumerate(names):
            fig.add_annotation(
                text=f"<b>{plain(words)}</b>", x=0.5 if i == 1 else 0.02 if i == 0 else 0.98, y=1, yshift=-_ROW * k, xref="x domain",
                yref="y domain", xanchor=("left", "center", "right")[i], yanchor="top", showarrow=False,
                font={"size": 13, "color": color}, bgcolor=THEMES[mode].background, borderpad=1, **places[i],
            )  # fmt: skip
    if not stacked:
        for place, words in zip(places, ("first column", "coefficient θ", "released θ"), strict=True):
            fig.update_xaxes(title_text=plain(words), **place)
    fig.update_yaxes(title_text="second column", title_standoff=2, **first)
    fig.update_yaxes(title_text="penalty", rangemode="tozero", title_standoff=2, **second)
    top = _ROOM * max(float(given.absent.max()), float(given.present.max()))
    fig.update_yaxes(title_text="density", range=[0, top], title_standoff=2, **third)
    fig.update_layout(
        template=template(mode), height=_STACKED if stacked else _HEIGHT, hovermode="closest", showlegend=False,
        margin={"t": 34, "l": 50, "r": 8, "b": 30 if stacked else 50},
    )  # fmt: skip
    return fig
