"""The densities of both noisy counts with a threshold to drag, and the errors of an attack with that threshold."""

from dataclasses import dataclass
from functools import cached_property

from dpcore.exhibits.home import figure as figures
from dpcore.exhibits.home import study as home
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.profiles.curves import Curve, tradeoff_curve
from pages.components import cache, cards, controls, drawing, running_order, state
from pages.components.charts import Chart
from pages.components.say import md

LOW, HIGH = home.OTHERS - 10.0, home.OTHERS + 11.0
HINT = "Right of the line you say “she was in”."


@dataclass(frozen=True)
class State:
    """The choices: the noise is chosen under the picture, the others in the sidebar or by dragging."""

    sigma: float = state.log(
        "Noise σ (in patients)", *home.NOISE, 1.0,
        help="Standard deviation of the Gaussian noise, divided by how much one person can change the answer.",
    )  # fmt: skip
    threshold: float = state.linear(
        "Threshold", LOW, HIGH, home.OTHERS + 0.5, step=0.1,
        help="The attacker says “she was in” above it. Drag the dashed line in the picture.",
    )  # fmt: skip
    delta: float = state.delta(md("Look at δ ="))

    @property
    def mechanism(self) -> Gaussian:
        return Gaussian(self.sigma)

    @cached_property
    def attack(self) -> home.Threshold:
        return home.threshold(self.sigma, self.threshold)

    @cached_property
    def bells(self) -> tuple[Curve, ...]:
        return home.bells(self.sigma)


def charts(shown: State) -> list[Chart]:
    """The second chart, which can be downloaded."""
    curve = cache.shared(tradeoff_curve, "Gaussian", shown.mechanism)
    return [
        Chart("Best attacks", lambda: figures.attack_figure(curve, shown.attack, cards.theme_mode()),
              "Misses against false alarms of the best attacks, with the threshold's point", "home_chart",
              caption="The threshold, and the best that any attack is worth")
    ]  # fmt: skip


def show(shown: State) -> None:
    """Show both bell curves, whole for every noise, and the threshold between them."""
    drawing.show(_drawing(shown), key="home_bells")


def _drawing(shown: State) -> drawing.Drawing:
    colors = (figures.WITHOUT, figures.WITH)
    alarm, miss = ("", "") if running_order.covered() else ("false alarm", "miss")  # their shares would tell the answer
    without, including = (curve.name for curve in shown.bells)
    across, up = home.axes(shown.sigma)
    return drawing.Drawing(
        label="Densities of the published count, with a threshold to drag", x=across, y=up,
        x_title="published count", y_title="density",
        lines=[
            drawing.Line(curve, color, dash, 3.0, curve.name)
            for curve, color, dash in zip(shown.bells, colors, ("solid", "dash"), strict=True)
        ],
        handles=[
            drawing.Handles(
                "home_threshold", "Threshold", figures.THRESHOLD, (), (shown.threshold,), LOW, HIGH, 0.1, rides=including
            )
        ],
        shades=[
            drawing.Shade(without, "right", figures.WITHOUT, alarm),
            drawing.Shade(including, "left", figures.WITH, miss),
        ],
        frames=cache.shared(_frames),
        height=290,
        hint=HINT,
    )  # fmt: skip


def _frames() -> drawing.Frames:
    positions = controls.round_values(*home.NOISE)
    heights = [[[round(y, 5) for y in curve.y.tolist()] for curve in home.bells(sigma)] for sigma in positions]
    return drawing.Frames("home_sigma", heights, [home.axes(sigma) for sigma in positions])
