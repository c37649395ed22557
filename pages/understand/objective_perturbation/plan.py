"""What a calibration of objective perturbation is told: public numbers, none from the data."""

from dataclasses import dataclass

from pages.components import controls
from pages.components.say import md


@dataclass(frozen=True)
class CalibrationTarget:
    """Public assumptions of a calibration: target ε, records, dimension, norm of the comparator."""

    epsilon: float = 1.0
    n: int = 10_000
    dimension: int = 40
    norm: float = 3.0
    clip: float = 1.0


def plan_controls() -> CalibrationTarget:
    """Sliders for the assumptions of a calibration."""
    return CalibrationTarget(
        controls.log_slider("Target ε", 0.05, 8.0, 1.0, key="op_target"),
        controls.count_slider("Records n", 1_000_000, 10_000, key="op_n", low=100),
        controls.count_slider("Dimension d", 1000, 40, key="op_d"),
        controls.log_slider("Comparator norm B", 0.1, 100.0, 3.0, key="op_norm", help=md("Assumed ‖θ*‖; never measured")),
        controls.log_slider(
            "Clip derivatives at C (share of L)", 0.01, 1.0, 1.0, key="op_clip",
            help="Per-example clipping lowers the Lipschitz constant, and with it the noise, to this share.",
        ),
    )  # fmt: skip
