"""Run by `.ci/wheel` where nothing but the wheel and what it needs is installed: the mathematics works, SAG too."""

import warnings
from importlib.util import find_spec

import numpy as np

import dpcore as dp

assert not any(map(find_spec, ("pandas", "pyarrow", "numba", "plotly", "streamlit")))
lower, upper = dp.compose([(dp.Gaussian(sigma=30.0), 100), (dp.Laplace(scale=30.0), 100)]).epsilon(1e-12)
assert 3.2 < lower <= upper < 3.3
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
X /= np.linalg.norm(X, axis=1)[:, None]
data = dp.Dataset.from_arrays(X, np.sign(X @ [1.0, -1.0, 0.5]), domain=dp.Domain(row_norm=1.0))
assert dp.AMP("logistic", epsilon=1.0, delta=1e-5).fit(data, rng).profile.epsilon(1e-5) <= 1.0 + 1e-9
rows = dp.individual_privacy(data, dp.ObjectivePerturbation(sigma=5.0, lam=1.0, loss="logistic"), delta=1e-6)
assert rows.exact(rows.most_exposed(1)).epsilon[0] > 0
with warnings.catch_warnings(record=True):
    warnings.simplefilter("always")
    assert dp.solve(dp.Problem(loss="logistic", X=X, y=data.y, lam=1.0), tol=1e-6, solver="sag").converged
