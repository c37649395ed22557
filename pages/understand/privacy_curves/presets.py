"""Presets of the privacy-curves page: widget keys and the values they jump to."""

PRESETS = {
    "Equal ε": {
        "pc_show": ["gaussian", "laplace", "subsampled_gaussian"],
        "pc_gaussian_sigma": 9.0,
        "pc_laplace_scale": 2.0,
        "pc_subsampled_gaussian_sigma": 1.8,
        "pc_subsampled_gaussian_rate": 0.06,
        "pc_delta": -7,
        "pc_direction": "both",
        "pc_epsilon": 0.5,
        "pc_epsilon_max": 1.0,
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
