"""Figures for a phone and for a projector."""

from dpcore.figures.parts import panels
from dpcore.figures.sizes import fit
from dpcore.figures.theme import decades, figure


def drawn():
    fig = figure("light", height=300)
    fig.add_scatter(x=[1, 2], y=[1, 2], name="a")
    fig.add_scatter(x=[1, 2], y=[2, 1], name="a bound whose name is too long for half a line")
    fig.update_xaxes(**decades())
    return fig.add_annotation(text="target", font={"size": 12})


def test_a_phone_has_long_names_one_per_line_below_the_chart_and_the_chart_keeps_its_room():
    source = drawn()
    legend = fit(source, "phone").layout.legend
    assert (legend.entrywidth, legend.yref, legend.y, legend.yanchor) == (0.98, "container", 0, "bottom")
    assert fit(source, "phone").layout.height == 320
    source.add_scatter(x=[1, 2], y=[1, 1], name="what the legend leaves out", showlegend=False)
    assert (fit(source, "phone").layout.height, source.layout.height) == (320, 300)
    assert source.layout.legend.orientation is None


def test_panels_side_by_side_stand_one_above_the_other_on_a_phone():
    found = fit(panels("light", ("left", "right"), height=300), "phone").layout
    assert found.xaxis.domain == found.xaxis2.domain == (0, 1)
    assert found.yaxis.domain[0] > found.yaxis2.domain[1] + 0.1
    assert [note.y for note in found.annotations] == [found.yaxis.domain[1], found.yaxis2.domain[1]]


def test_a_usual_window_has_the_figure_as_it_is():
    source = drawn()
    assert fit(source, "usual") is source
