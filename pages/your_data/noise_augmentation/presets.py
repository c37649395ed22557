"""Presets of the noise-augmentation page: the source's figures, at Table 4's settings."""

_STUDY = {"na_view": "study", "na_data": "linear", "na_size": "small", "na_noise": "gaussian", "na_delta": -4}

PRESETS = {
    "Fig. 1": {"na_view": "realised", "na_kind": "lasso", "na_strength": 2.0, "na_epsilon": 1.0, "na_printed": False},
    "Fig. 3": {**_STUDY, "na_figure": "distance"},
    "Fig. 4": {**_STUDY, "na_figure": "selection"},
    "Fig. 5": {**_STUDY, "na_figure": "prediction"},
    "Fig. 7": {**_STUDY, "na_figure": "retrieval"},
    "Fig. 8": {**_STUDY, "na_figure": "recycling"},
    "Fig. 6 (Adult)": {**_STUDY, "na_data": "upload", "na_figure": "budget", "na_loss": "logistic", "source": "upload"},
    "Counterexample": {
        "na_view": "private", "na_attacked": "moor", "na_epsilon": 1.0, "na_strength": 4.0, "na_target": 2.0, "na_others": 0,
    },
}  # fmt: skip
