"""Presets of the pages on learning: widget keys and the values they jump to."""

from dpcore.studies.learning_limits.convexity import VALLEY
from dpcore.studies.log_concave.drawn import TILTS
from pages.components.drawing import compact

EXPONENTIAL = {
    "Few records": {"em_view": "line", "em_n": 20, "em_epsilon": 0.5},
    "Many records": {"em_view": "line", "em_n": 1000, "em_epsilon": 2.0},
    "Noisy labels": {"em_view": "plane", "em_n": 200, "em_noise": 0.4, "em_epsilon": 1.0},
    "Three selections": {"em_view": "finite", "em_n": 50, "em_epsilon": 0.5},
}

LEARNING_LIMITS = {
    "Privacy for free": {"ll_view": "finite", "ll_n": 1000.0, "ll_epsilon": 1.0, "ll_noise": 0.1},
    "Privacy dominates": {"ll_view": "finite", "ll_n": 100.0, "ll_epsilon": 0.05, "ll_noise": 0.1},
    "Impossible": {"ll_view": "packing", "ll_records": 4, "ll_epsilon": 0.5, "ll_bins": 256},
    "Possible again": {"ll_view": "packing", "ll_records": 40, "ll_epsilon": 0.5, "ll_bins": 256},
    "A claim that fails": {"ll_view": "convexity", "ll_shape": "huber", "ll_convexity": 0.5, "ll_ridge": 0.0},
    "Draw a function": {
        "ll_view": "convexity",
        "ll_shape": "drawn",
        "ll_heights": compact(VALLEY),
        "ll_true": True,
        "ll_ridge": 0.0,
    },
}

_DRAWN = ("lc_drawn_f", "lc_drawn_g")
_WELLS = ("8,4.5,0.5,0.2,1.5,4,8", "9,6,4,2.5,0.2,3,9")
_PLAIN = {"lc_mode": "choose", "lc_common": "none", "lc_bounded": False}
LOG_CONCAVE = {
    "Attained": {"lc_first": "left", "lc_second": "right", **_PLAIN},
    "Kink": {"lc_first": "kink", "lc_second": "right", **_PLAIN},
    "Behind walls": {
        "lc_first": "left",
        "lc_second": "right",
        "lc_mode": "choose",
        "lc_common": "none",
        "lc_bounded": True,
        "lc_width": 1.0,
    },
    "Extra curvature": {"lc_first": "left", "lc_second": "right", **_PLAIN, "lc_common": "quartic"},
    "Drawn tilts": {
        "lc_mode": "draw",
        "lc_draw_mu": 0.5,
        "lc_bounded": False,
        **dict(zip(_DRAWN, map(compact, TILTS), strict=True)),
    },
    "Drawn wells": {
        "lc_mode": "draw",
        "lc_draw_mu": 0.5,
        "lc_bounded": False,
        **dict(zip(_DRAWN, _WELLS, strict=True)),
    },
}

OUTPUT = {
    "Small λ": {"out_epsilon": 1.0, "out_delta": -5, "out_lambda": 0.01},
    "Large λ": {"out_epsilon": 1.0, "out_delta": -5, "out_lambda": 1000.0},
    "Beyond ε = 1": {"out_epsilon": 10.0, "out_delta": -5, "out_lambda": 10.0},
}
