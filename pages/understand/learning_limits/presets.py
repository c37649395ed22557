"""Presets of the learning-limits page: widget keys and the values they jump to."""

from dpcore.exhibits.learning_limits.convexity import VALLEY
from pages.components.drawing import compact

PRESETS = {
    "Privacy for free": {"ll_view": "finite", "ll_n": 1000, "ll_epsilon": 1.0, "ll_noise": 0.1},
    "Privacy dominates": {"ll_view": "finite", "ll_n": 100, "ll_epsilon": 0.05, "ll_noise": 0.1},
    "Impossible": {"ll_view": "packing", "ll_records": 4, "ll_epsilon": 0.5, "ll_bins": 256},
    "Possible again": {"ll_view": "packing", "ll_records": 40, "ll_epsilon": 0.5, "ll_bins": 256},
    "Price of a draw": {"ll_view": "sampling", "ll_dimension": 5, "ll_k": 50.0},
    "Steps against draws": {
        "ll_view": "descent",
        "ll_dimension": 50,
        "ll_people": 2000,
        "ll_steps": 100,
        "ll_epsilon": 1.0,
    },
    "A claim that fails": {"ll_view": "convexity", "ll_shape": "huber", "ll_convexity": 0.5, "ll_ridge": 0.0},
    "Draw a function": {
        "ll_view": "convexity",
        "ll_shape": "drawn",
        "ll_heights": compact(VALLEY),
        "ll_true": True,
        "ll_ridge": 0.0,
    },
}
