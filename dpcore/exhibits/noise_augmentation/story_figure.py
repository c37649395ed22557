"""Noise augmentation in three panels: the rows, the penalty that they act as, and what one record gives away."""

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.exhibits.noise_augmentation.pictures import GivenAway, RealisedPicture, RowPicture
from dpcore.figures.colors import BLUE, GREY, INK, ON_DARK, VERMILLION
from dpcore.figures.parts import dots, faint, line
from dpcore.figures.theme import THEMES, plain, template

_HEIGHT, _STACKED = 350, 560  # height side by side, and one below the other
_ROOM = (
    1.4  # height of the third axis in units of its curves, so that the names stand above; doubled, the curves are low
)


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
    names = (
        (("● data", GREY), ("× noise rows", INK[VERMILLION])),
        (("● the rows’ loss", BLUE), ("⋯ the lasso", GREY)),
        (("without the record", GREY), ("with the record", BLUE), (told, INK[VERMILLION])),
    )
    for place, said, x, side in zip(places, names, (0.02, 0.5, 0.98), ("left", "center", "right"), strict=True):
        fig.add_annotation(
            text="<br>".join(f"<b style='color:{plain(_shown(color, mode))}'>{plain(words)}</b>" for words, color in said),
            x=x, y=1, xref="x domain", yref="y domain", xanchor=side, yanchor="top", align=side,
            showarrow=False, font={"size": 13}, bgcolor=THEMES[mode].background, borderpad=1, **place,
        )  # fmt: skip
    fig.update_traces(showlegend=False)
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


def _shown(color: str, mode: str) -> str:
    """A colour in words as the theme shows it: inside a tag it is not replaced with the other colours."""
    return ON_DARK.get(color, color) if mode == "dark" else color
