"""Presets of the objective-perturbation page: the figures of the source."""

PRESETS = {
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
