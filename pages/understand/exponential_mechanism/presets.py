"""Presets of the exponential-mechanism page: widget keys and the values they jump to."""

PRESETS = {
    "Few records": {"em_view": "line", "em_n": 20, "em_epsilon": 0.5},
    "Many records": {"em_view": "line", "em_n": 1000, "em_epsilon": 2.0},
    "Noisy labels": {"em_view": "plane", "em_n": 200, "em_noise": 0.4, "em_epsilon": 1.0},
    "Three selections": {"em_view": "finite", "em_n": 50, "em_epsilon": 0.5},
}
