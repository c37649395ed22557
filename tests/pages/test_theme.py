"""One palette: the app's configuration and the Plotly template hold the same colours, told apart by colour-blind readers."""

import itertools
import tomllib
from pathlib import Path

import plotly.graph_objects as go
import pytest

from dpcore.figures import theme
from dpcore.figures.colors import BLUE, PALETTE

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())


def linear_rgb(color: str) -> list[float]:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(color: str) -> float:
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear_rgb(color), strict=True))


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_config_and_template_share_their_tokens(mode):
    tokens, config = theme.THEMES[mode], CONFIG["theme"][mode]
    shared = [config[f"{name}Color"] for name in ("background", "secondaryBackground", "text", "border", "primary")]
    assert shared == [tokens.background, tokens.panel, tokens.text, tokens.border, tokens.primary]
    assert tuple(CONFIG["theme"]["chartCategoricalColors"]) == PALETTE
    assert theme.template(mode).layout.colorway == PALETTE


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_is_readable_and_lines_are_visible(mode):
    tokens = theme.THEMES[mode]
    assert contrast(tokens.text, tokens.background) > 7
    assert contrast(tokens.muted, tokens.background) > 4.5
    for color in PALETTE:
        assert contrast(color, tokens.background) > 2


def test_colours_differ_for_deuteranopes():
    # Viénot, Brettel and Mollon 1999: the red-green plane collapses onto one axis
    def seen(color: str) -> tuple[float, float]:
        red, green, blue = linear_rgb(color)
        return 0.29275 * red + 0.70725 * green, blue

    for first, second in itertools.combinations(PALETTE, 2):
        assert max(abs(a - b) for a, b in zip(seen(first), seen(second), strict=True)) > 0.02, (first, second)


def test_the_server_keeps_to_itself():
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert CONFIG["server"]["enableXsrfProtection"] is True
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert CONFIG["client"]["showErrorLinks"] is False


def test_a_figure_taken_away_is_light_all_through():
    tokens = theme.DARK
    fig = theme.figure("dark").add_heatmap(colorscale=[[0, tokens.background], [1, BLUE]], name=tokens.text)
    fig.frames = [go.Frame(layout={"shapes": [{"type": "line", "line": {"color": tokens.border}}]})]
    light = theme.restyle(fig, "light")
    assert light.frames[0].layout.shapes[0].line.color == theme.LIGHT.border
    assert light.layout.template.layout.paper_bgcolor == theme.LIGHT.background
    assert light.data[0].colorscale[0][1] == theme.LIGHT.background
    assert light.data[0].name == tokens.text, "a name of a file that reads like a colour"
