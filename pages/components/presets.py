"""Presets of each page: widget keys and the values they jump to."""

PRIVACY_CURVES = {
    "Equal ε": {
        "pc_show": ["gaussian", "laplace", "subsampled_gaussian"],
        "pc_gaussian_sigma": 3.5,
        "pc_laplace_scale": 1.0,
        "pc_subsampled_gaussian_sigma": 1.0,
        "pc_subsampled_gaussian_rate": 0.045,
        "pc_delta": -5,
    },
    "Pure budgets": {
        "pc_show": ["laplace", "randomized_response", "exponential"],
        "pc_laplace_scale": 1.0,
        "pc_randomized_response_epsilon": 1.0,
        "pc_randomized_response_categories": 2,
        "pc_exponential_epsilon": 1.0,
        "pc_epsilon_max": 2.0,
    },
    "Subsampling": {
        "pc_show": ["gaussian", "subsampled_gaussian"],
        "pc_gaussian_sigma": 1.0,
        "pc_subsampled_gaussian_sigma": 1.0,
        "pc_subsampled_gaussian_rate": 0.1,
        "pc_direction": "add",
    },
}

OBJECTIVE_PERTURBATION = {
    name: {
        "op_sigma": sigma,
        "op_lambda": lam,
        "op_beta": 1.0,
        "op_lipschitz": 1.0,
        "op_view": view,
        "op_epsilon_max": axis,
    }
    for name, sigma, lam, view, axis in (
        ("Fig. 1 left", 5.0, 20.0, "profile", 2.0),
        ("Fig. 1 right", 10.0, 5.0, "profile", 1.0),
        ("Fig. 3a", 100.0, 10.0, "renyi", 1.0),
        ("Fig. 3b", 10.0, 1.0, "renyi", 1.0),
        ("Fig. 3c", 10.0, 10.0, "renyi", 1.0),
        ("Fig. 3d", 1.0, 1.0, "renyi", 5.0),
    )
}
