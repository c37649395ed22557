"""Presets of the noise-augmentation page: the source's figures, at Table 4's settings."""

_STUDY = {
    "na_view": "study",
    "na_data": "linear",
    "na_size": "small",
    "na_noise": "gaussian",
    "na_delta": -4,
    "na_full": False,
}
_SUPPLEMENT = {"na_view": "study", "na_data": "linear", "na_size": "large", "na_noise": "spherical", "na_full": True}
_PENALTY = {"na_view": "realised", "na_strength": 2.0, "na_epsilon": 1.0, "na_printed": False}

PRESETS = {
    "Noise as a penalty": {**_PENALTY, "na_kind": "lasso"},
    "Noise as an elastic net": {**_PENALTY, "na_kind": "elastic_net", "na_kappa": 0.1},
    "Noise as a bridge": {**_PENALTY, "na_kind": "bridge", "na_gamma": 1.5},
    "Distance to the lasso": {**_STUDY, "na_figure": "distance"},
    "Selected variables": {**_STUDY, "na_figure": "selection"},
    "Prediction error": {**_STUDY, "na_figure": "prediction"},
    "Retrieved budget": {**_STUDY, "na_figure": "retrieval"},
    "Recycled budget": {**_STUDY, "na_figure": "recycling"},
    "Adult by budget": {**_STUDY, "na_data": "upload", "na_figure": "budget", "na_loss": "logistic", "na_source": True, "source": "upload"},
    "Selected variables, ε-DP": {**_SUPPLEMENT, "na_figure": "selection"},
    "Prediction error, ε-DP": {**_SUPPLEMENT, "na_figure": "prediction"},
    "Retrieved budget, ε-DP": {**_SUPPLEMENT, "na_figure": "retrieval"},
    "Recycled budget, ε-DP": {**_SUPPLEMENT, "na_figure": "recycling"},
    "Finite rows and rounds": {
        "na_view": "paths", "na_data": "linear", "na_size": "small", "na_kind": "lasso", "na_strength": 3.0, "na_epsilon": 1.0,
        "na_variant": "moor", "na_selection": "vs", "na_cut": -0.75, "na_finite": True, "na_rows_4000": 10_000, "na_limit_finite": 40,
    },
    "Counterexample": {
        "na_view": "private", "na_attacked": "moor", "na_epsilon": 1.0, "na_strength": 4.0, "na_target": 2.0, "na_others": 0,
    },
}  # fmt: skip

_PAPER = "Li and Liu, "
_PURE = " in full: δ = 0, as its text says (its caption: 10⁻⁴), 500 repeats, four ε."
SOURCES = {
    "Noise as a penalty": _PAPER + "Fig. 1, the realised regularisation: lasso.",
    "Noise as an elastic net": _PAPER + "Fig. 1, elastic net; the source prints no κ: 0.1.",
    "Noise as a bridge": _PAPER + "Fig. 1, the power ½, which is not convex.",
    "Distance to the lasso": _PAPER + "Fig. 3, at the settings of Table 4.",
    "Selected variables": _PAPER + "Fig. 4, at the settings of Table 4.",
    "Prediction error": _PAPER + "Fig. 5, at the settings of Table 4.",
    "Retrieved budget": _PAPER + "Fig. 7, at the settings of Table 4.",
    "Recycled budget": _PAPER + "Fig. 8, at the settings of Table 4.",
    "Adult by budget": _PAPER + "Fig. 6, its split, Λ₀ and T, on a copy of Adult that you upload.",
    "Selected variables, ε-DP": _PAPER + "Fig. S.1" + _PURE,
    "Prediction error, ε-DP": _PAPER + "Fig. S.2" + _PURE,
    "Retrieved budget, ε-DP": _PAPER + "Fig. S.3" + _PURE,
    "Recycled budget, ε-DP": _PAPER + "Fig. S.4" + _PURE,
    "Finite rows and rounds": _PAPER + "Fig. 2 from data; nₑ = 10⁴ and T = 40 beside their limits, a cut, four rounds.",
    "Counterexample": "One record against the claim for MOOR: an attack that refutes it.",
}
