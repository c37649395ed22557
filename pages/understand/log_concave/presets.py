"""Presets of the log-concave page: widget keys and the values they jump to."""

from dpcore.exhibits.log_concave.drawn import TILTS
from pages.components.drawing import compact

_DRAWN = ("lc_drawn_f", "lc_drawn_g")
_WELLS = ("8,4.5,0.5,0.2,1.5,4,8", "9,6,4,2.5,0.2,3,9")
_BY_HAND = {"lc_mode": "draw", "lc_draw_mu": 0.5, "lc_bounded": False}
_PLAIN = {"lc_mode": "choose", "lc_common": "none", "lc_bounded": False}
PRESETS = {
    "Attained": {"lc_first": "left", "lc_second": "right", **_PLAIN},
    "Kink": {"lc_first": "kink", "lc_second": "right", "lc_knot": 0.5, **_PLAIN},
    "Behind walls": {"lc_first": "left", "lc_second": "right", **_PLAIN, "lc_bounded": True, "lc_width": 1.0},
    "Extra curvature": {"lc_first": "left", "lc_second": "right", **_PLAIN, "lc_common": "quartic"},
    "Drawn tilts": {**_BY_HAND, **dict(zip(_DRAWN, map(compact, TILTS), strict=True))},
    "Drawn wells": {**_BY_HAND, **dict(zip(_DRAWN, _WELLS, strict=True))},
}
