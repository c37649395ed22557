"""Presets of the output-perturbation page: widget keys and the values they jump to."""

PRESETS = {
    "Small λ": {"out_epsilon": 1.0, "out_delta": -5, "out_lambda": 0.01},
    "Large λ": {"out_epsilon": 1.0, "out_delta": -5, "out_lambda": 1000.0},
    "Noise in the objective": {"out_epsilon": 1.0, "out_delta": -5, "out_lambda": 10.0, "out_objective": True},
    "Beyond ε = 1": {"out_epsilon": 10.0, "out_delta": -5, "out_lambda": 10.0, "out_bounds": True},
    "What is proven": {"out_epsilon": 1.0, "out_delta": -5, "out_lambda": 10.0, "out_bounds": True},
}
