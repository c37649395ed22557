"""From a privacy target to the noise that meets it."""

from dpcore.calibration.noise import calibrate

__all__ = ["calibrate"]
