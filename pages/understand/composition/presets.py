"""Presets of the composition page."""

from pages.understand.composition.pipeline import widget_values

_EXPLORE = {"co_methods": ["pld", "renyi", "advanced", "basic"], "co_epsilon": 1.0, "co_delta": -5}


def _objective(kind: str, count: int) -> dict[str, object]:
    return widget_values([(kind, {"sigma": 8.0, "lam": 10.0, "smoothness": 1.0}, count)])


def _phase(sigma: float, rate: float, sgd_sigma: float) -> dict[str, object]:
    return {
        **widget_values(
            [
                ("objective_published", {"sigma": sigma, "lam": 1e4, "smoothness": 1.0}, 1),
                ("gaussian", {"sigma": sigma}, 1),
                ("subsampled_gaussian", {"sigma": sgd_sigma, "rate": rate}, 1),
            ]
        ),
        "co_view": "renyi",
        "co_methods": ["pld"],
        "co_epsilon": 0.05,
    }


PRESETS = {
    "√k, not k": {**_EXPLORE, **widget_values([("gaussian", {"sigma": 10.0}, 1)]), "co_view": "loss"},
    "300 answers": {
        **_EXPLORE,
        **widget_values([("gaussian", {"sigma": 20.0}, 200), ("laplace", {"scale": 20.0}, 100)]),
        "co_view": "accountants",
        "co_epsilon": 2.0,
    },
    "Growth, published": {
        **_objective("objective_published", 1),
        "co_view": "growth",
        "co_methods": ["pld", "renyi"],
        "co_delta": -5,
    },
    "Growth, tight": {
        **_objective("objective_tight", 1),
        "co_view": "growth",
        "co_methods": ["pld"],
        "co_delta": -5,
    },
    "Much noise in phases": _phase(100.0, 0.1, 10.0),
    "Less noise in phases": _phase(40.0, 0.5, 20.0),
    "DP-SGD": {
        **_EXPLORE,
        **widget_values([("subsampled_gaussian", {"sigma": 1.0, "rate": 0.01}, 1000)]),
        "co_view": "accountants",
        "co_methods": ["pld", "renyi"],
    },
    "Survey": {
        **_EXPLORE,
        **widget_values([("randomized_response", {"epsilon": 0.5, "categories": 2}, 20)]),
        "co_view": "accountants",
        "co_methods": ["pld", "renyi", "advanced", "optimal", "basic"],
    },
    "Honest tuning": {
        **widget_values([("gaussian", {"sigma": 30.0}, 100)]),
        "co_view": "tuning",
        "co_methods": ["pld", "renyi"],
        "co_delta": -5,
    },
}

_PAPER = "Redberg, Koskela and Wang, "
SOURCES = {
    "Growth, published": _PAPER
    + "Fig. 4: the published bound of objective perturbation, composed by PLD and by Rényi.",
    "Growth, tight": _PAPER + "Fig. 4, with the tight profile in place of the published bound.",
    "Much noise in phases": _PAPER + "Fig. 5a: objective perturbation, a Gaussian and DP-SGD by Rényi order, σ = 100.",
    "Less noise in phases": _PAPER + "Fig. 5b: the same with σ = 40 and q = 0.5.",
}
