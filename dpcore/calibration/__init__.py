"""From a privacy target to the noise that meets it."""

from typing import TYPE_CHECKING

from dpcore.lazy import exports

if TYPE_CHECKING:
    from dpcore.calibration.noise import calibrate
    from dpcore.calibration.objective import best_calibration, paper_rule, smallest_lambda
else:
    __getattr__, __dir__ = exports(__name__)

__all__ = ["best_calibration", "calibrate", "paper_rule", "smallest_lambda"]
