"""Presets of the noise-augmentation page: the source's figures, at Table 4's settings."""

_STUDY = {"na_view": "study", "na_data": "linear", "na_size": "small", "na_noise": "gaussian", "na_delta": -4}

PRESETS = {
    "Noise as a penalty": {"na_view": "realised", "na_kind": "lasso", "na_strength": 2.0, "na_epsilon": 1.0, "na_printed": False},
    "Distance to the lasso": {**_STUDY, "na_figure": "distance"},
    "Selected variables": {**_STUDY, "na_figure": "selection"},
    "Prediction error": {**_STUDY, "na_figure": "prediction"},
    "Retrieved budget": {**_STUDY, "na_figure": "retrieval"},
    "Recycled budget": {**_STUDY, "na_figure": "recycling"},
    "Adult by budget": {**_STUDY, "na_data": "upload", "na_figure": "budget", "na_loss": "logistic", "source": "upload"},
    "Counterexample": {
        "na_view": "private", "na_attacked": "moor", "na_epsilon": 1.0, "na_strength": 4.0, "na_target": 2.0, "na_others": 0,
    },
}  # fmt: skip

_PAPER = "Li and Liu, "
SOURCES = {
    "Noise as a penalty": _PAPER + "Fig. 1, the realised regularisation.",
    "Distance to the lasso": _PAPER + "Fig. 3, at the settings of Table 4.",
    "Selected variables": _PAPER + "Fig. 4, at the settings of Table 4.",
    "Prediction error": _PAPER + "Fig. 5, at the settings of Table 4.",
    "Retrieved budget": _PAPER + "Fig. 7, at the settings of Table 4.",
    "Recycled budget": _PAPER + "Fig. 8, at the settings of Table 4.",
    "Adult by budget": _PAPER + "Fig. 6, on a copy of the Adult file that you upload.",
    "Counterexample": "One record against the claim for MOOR: an attack that refutes it.",
}
