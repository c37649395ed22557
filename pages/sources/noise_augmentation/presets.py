"""Presets of the noise-augmentation page: the source's figures, at Table 4's settings."""

_SIMULATED = {"na_view": "study", "na_data": "linear", "na_size": "small", "na_full": False}
_STUDY = _SIMULATED | {"na_noise": "gaussian", "na_delta": -4}
_SUPPLEMENT = _SIMULATED | {"na_size": "large", "na_noise": "spherical", "na_full": True}
_PENALTY = {"na_view": "realised", "na_strength": 2.0, "na_epsilon": 1.0, "na_printed": False}
_FIGURES = {  # figure of the page, number in the main text and in the supplement
    "Distance to the lasso": ("distance", "3", ""),
    "Selected variables": ("selection", "4", "S.1"),
    "Prediction error": ("prediction", "5", "S.2"),
    "Retrieved budget": ("retrieval", "7", "S.3"),
    "Recycled budget": ("recycling", "8", "S.4"),
}
_PURE = {f"{name}, ε-DP": of for name, of in _FIGURES.items() if of[2]}
_ADULT = {"na_data": "upload", "na_figure": "budget", "na_loss": "logistic", "na_source": True, "source": "upload"}

PRESETS = {
    "Noise as a penalty": {**_PENALTY, "na_kind": "lasso"},
    "Noise as an elastic net": {**_PENALTY, "na_kind": "elastic_net", "na_kappa": 0.1},
    "Noise as a bridge": {**_PENALTY, "na_kind": "bridge", "na_gamma": 1.5},
    **{name: {**(_SIMULATED if figure == "distance" else _STUDY), "na_figure": figure} for name, (figure, *_) in _FIGURES.items()},
    "Adult by budget": _STUDY | _ADULT,
    **{name: {**_SUPPLEMENT, "na_figure": figure} for name, (figure, *_) in _PURE.items()},
    "Finite rows and rounds": {
        "na_view": "paths", "na_data": "linear", "na_size": "small", "na_kind": "lasso", "na_strength": 3.0, "na_epsilon": 1.0,
        "na_variant": "moor", "na_selection": "vs", "na_cut": -0.75, "na_finite": True, "na_rows_4000": 10_000, "na_limit_finite": 40,
    },
    "Counterexample": {
        "na_view": "private", "na_attacked": "moor", "na_epsilon": 1.0, "na_strength": 4.0, "na_target": 2.0, "na_others": 0,
    },
}  # fmt: skip

_PAPER = "Li and Liu, Fig. "
SOURCES = {
    "Noise as a penalty": _PAPER + "1, the realised regularisation: lasso.",
    "Noise as an elastic net": _PAPER + "1, elastic net; the source prints no κ: 0.1.",
    "Noise as a bridge": _PAPER + "1, the power ½, which is not convex.",
    **{name: f"{_PAPER}{number}, at the settings of Table 4." for name, (_, number, _) in _FIGURES.items()},
    "Adult by budget": _PAPER + "6, its split, Λ₀ and T, on a copy of Adult that you upload.",
    **{
        name: f"{_PAPER}{number} in full: δ = 0, as its text says (its caption: 10⁻⁴), 500 repeats, four ε."
        for name, (_, _, number) in _PURE.items()
    },
    "Finite rows and rounds": _PAPER + "2 from data; nₑ = 10⁴ and T = 40 beside their limits, a cut, four rounds.",
    "Counterexample": "One record against the claim for MOOR: an attack that refutes it.",
}
