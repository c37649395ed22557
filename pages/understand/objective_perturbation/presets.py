"""Presets of the objective-perturbation page: the figures of the source."""

_UNIT = {"op_beta": 1.0, "op_lipschitz": 1.0}
_OF_THE_PAPER = ["tight", "hockey_stick", "kifer", "lower"]


def _noise(sigma: float, lam: float, view: str, axis: float) -> dict[str, float | str]:
    return _UNIT | {"op_sigma": sigma, "op_lambda": lam, "op_view": view, "op_epsilon_max": axis}


_RIGHT = _noise(10.0, 5.0, "profile", 1.0)
PRESETS = {
    "Figure 1, left": _noise(5.0, 20.0, "profile", 2.0) | {"op_show": _OF_THE_PAPER},
    "Figure 1, right": _RIGHT | {"op_show": _OF_THE_PAPER},
    "Rényi, much noise": _noise(100.0, 10.0, "renyi", 1.0),
    "Rényi, small λ": _noise(10.0, 1.0, "renyi", 1.0),
    "Rényi, larger λ": _noise(10.0, 10.0, "renyi", 1.0),
    "Rényi, little noise": _noise(1.0, 1.0, "renyi", 5.0),
    "Price of d in the lecture": _RIGHT
    | {"op_show": ["tight", "hockey_stick", "kifer", "lecture", "lower"], "op_dimension": 5, "op_epsilon_max": 2.0},
    "Solver that stops": _RIGHT | {"op_view": "stopping", "op_tau": 0.01, "op_sigma_out": 0.15},
    "Change of variables": _noise(1.0, 1.0, "variables", 1.0),
    "A sample of the records": _RIGHT | {"op_view": "sampled", "op_rate": 0.1},
    "A loss that is no GLM": _RIGHT | {"op_view": "beyond", "op_dimension": 10},
}

_PAPER = "Redberg, Koskela and Wang, "
SOURCES = {
    "Figure 1, left": _PAPER + "Fig. 1 left: Theorem 3.1 and Kifer et al. against the Gaussian, σ = 5, λ = 20.",
    "Figure 1, right": _PAPER + "Fig. 1 right: σ = 10, λ = 5.",
    "Rényi, much noise": _PAPER + "Fig. 3a: Theorem 3.2 by order, σ = 100, λ = 10.",
    "Rényi, small λ": _PAPER + "Fig. 3b: Theorem 3.2 by order, σ = 10, λ = 1.",
    "Rényi, larger λ": _PAPER + "Fig. 3c: Theorem 3.2 by order, σ = 10, λ = 10.",
    "Rényi, little noise": _PAPER + "Fig. 3d: Theorem 3.2 by order, σ = λ = 1.",
    "Solver that stops": _PAPER + "Theorem 4.1 at their τ = 0.01 and σₒᵤₜ = 0.15, for σ and λ of Fig. 1 right.",
    "A loss that is no GLM": _PAPER + "Appendix E: why Theorems 3.1 and 3.2 need a generalised linear model.",
    "Change of variables": "Lecture 10, Lemma 10.1, and Lemmas J.6 and J.7 of Redberg, Koskela and Wang, with numbers.",
    "A sample of the records": _PAPER
    + "what the dominating pair of Section 3 is said to enable: amplification by subsampling.",
    "Price of d in the lecture": "Lecture 10, privacy analysis of objective perturbation: ε ≈ d log(1 + β/λ) + L²/2σ² + O(·).",
}
