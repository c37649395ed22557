"""Truth for bounds on rows, from refits in plain numpy and from densities on a line, sharing no code with what is tested."""

import numpy as np
from scipy import optimize

LOSSES = {
    "logistic": (
        lambda u, y: np.logaddexp(0, -y * u),
        lambda u, y: -y / (1 + np.exp(y * u)),
        lambda u, y: 1 / (2 + np.exp(u) + np.exp(-u)),
    ),
}


def ridge_truth(X, y, lam):
    """Per row: leverage μ against the others, |y − xᵀθ̂| under all rows, ‖H₋⁻¹x‖; each by leaving the row out."""
    width = X.shape[1]
    theta = np.linalg.solve(X.T @ X + lam * np.eye(width), X.T @ y)
    found = []
    for i in range(len(X)):
        rest = np.delete(X, i, axis=0)
        moved = np.linalg.solve(rest.T @ rest + lam * np.eye(width), X[i])
        found.append((X[i] @ moved, abs(y[i] - X[i] @ theta), np.linalg.norm(moved)))
    return np.array(found).T


def adversarial(name, rng):
    """Data sets that bounds on rows find hard: (X, y) inside the unit domain."""
    if name == "one row":
        return np.array([[1.0, 0.0]]), np.array([1.0])
    if name == "an outlier":
        X = np.vstack([np.tile([1.0, 0.0], (80, 1)), [[0.0, 1.0]]])
        return X, np.append(np.ones(80), -1.0)
    if name == "two camps":
        X = np.tile([[0.6, 0.8]], (100, 1))
        return X, np.where(np.arange(100) % 2, 1.0, -1.0)
    if name == "almost collinear":
        X = np.tile([[0.7, 0.7]], (200, 1)) + 1e-3 * rng.normal(size=(200, 2))
        return X, np.sign(rng.normal(size=200))
    X = rng.normal(size=(400, 3))
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    return X, np.clip(X @ [0.5, -0.3, 0.2] + 0.2 * rng.normal(size=400), -1, 1)


KINDS = ("one row", "an outlier", "two camps", "almost collinear", "plain")


def line_epsilon(release, x, y, loss, lam, delta, **noise):
    """ε of every row of one-feature data, from the two densities of the release on a grid of θ."""
    f, slope, bend = LOSSES[loss]

    def objective(theta, keep):
        return f(theta[:, None] * x[keep], y[keep]).sum(axis=1) + lam * theta**2 / 2

    def gradient(theta, keep):
        return (slope(theta[:, None] * x[keep], y[keep]) * x[keep]).sum(axis=1) + lam * theta

    def curvature(theta, keep):
        return (bend(theta[:, None] * x[keep], y[keep]) * x[keep] ** 2).sum(axis=1) + lam

    def log_density(theta, keep):
        if release == "objective":
            pull = gradient(theta, keep) / noise["sigma"]
            return -0.5 * pull**2 + np.log(curvature(theta, keep))
        if release == "posterior":
            value = -noise["gamma"] * objective(theta, keep)
            return value - value.max()
        centre = optimize.brentq(lambda t: gradient(np.array([t]), keep)[0], -50, 50)
        return -0.5 * ((theta - centre) / noise["sigma"]) ** 2

    every = np.arange(len(x))
    centre = optimize.brentq(lambda t: gradient(np.array([t]), every)[0], -50, 50)
    width = {
        "objective": noise.get("sigma", 0) / lam,
        "posterior": 1 / np.sqrt(noise.get("gamma", 1) * lam),
        "output": noise.get("sigma", 0) + 1 / lam,
    }[release]
    theta = centre + np.linspace(-12, 12, 20_001) * width

    def law(keep):
        density = np.exp(log_density(theta, keep))
        return density / density.sum()

    with_all = law(every)
    found = []
    for i in every:
        without = law(np.delete(every, i))

        def excess(epsilon, without=without):
            sides = ((with_all, without), (without, with_all))
            return max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in sides) - delta

        found.append(0.0 if excess(0.0) <= 0 else optimize.brentq(excess, 0.0, 60.0))
    return np.array(found)
