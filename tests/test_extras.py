"""The library without the libraries that only some parts of it need: what is left works, the rest says what to install."""

import ast
import subprocess
import sys

import pytest

import dpcore as dp
from dpcore.extras import EXTRA

REFUSED = f"import sys\nfor name in {tuple(EXTRA)!r}: sys.modules[name] = None\n"
SET_UP = """
import warnings
import numpy as np
import dpcore as dp

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
X /= np.linalg.norm(X, axis=1)[:, None]
ds = dp.Dataset.from_arrays(X, np.sign(X @ [1.0, -1.0] + 0.3 * rng.normal(size=60)))
"""


def printed(program: str) -> list[str]:
    """What a process prints in which these libraries cannot be imported."""
    command = [sys.executable, "-c", REFUSED + SET_UP + program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_mathematics_needs_numpy_and_scipy_alone():
    bracket, rows, attacks = printed("""
mechanism = dp.ObjectivePerturbation(sigma=5.0, lam=1.0, loss="logistic")
print(dp.compose([(dp.Gaussian(30.0), 100)]).epsilon(1e-9)[0])
print(dp.individual_privacy(ds, mechanism, delta=1e-6).epsilon.tolist())
dp.AMP("logistic", epsilon=1.0, delta=1e-5).plan(dp.PublicFacts(60, 2, dp.Domain(row_norm=1.0)))
print(len(dp.audit.ATTACKS))
""")
    assert float(bracket) == dp.compose([(dp.Gaussian(30.0), 100)]).epsilon(1e-9)[0]
    assert int(attacks) == len(dp.audit.ATTACKS)
    known: dict = {}
    exec(SET_UP, known)
    mechanism = dp.ObjectivePerturbation(sigma=5.0, lam=1.0, loss="logistic")
    assert ast.literal_eval(rows) == dp.individual_privacy(known["ds"], mechanism, delta=1e-6).epsilon.tolist()


def test_without_a_compiler_sag_says_so_and_reaches_the_same_minimiser():
    said, evaluations, distance = printed("""
problem = dp.Problem(loss="logistic", X=ds.X, y=ds.y, lam=1.0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = dp.solve(problem, tol=1e-9, solver="sag")
print(caught[0].message)
print(found.evaluations)
print(np.abs(found.theta - dp.solve(problem, tol=1e-12).theta).max())
""")
    assert "dpcore[fast]" in said
    assert int(evaluations) >= 60
    assert float(distance) < 1e-9


@pytest.mark.parametrize(
    ("asked", "extra"),
    [
        ("dp.load_csv('sample_data/diabetes.csv', target='progression')", "data"),
        ("dp.individual_privacy(ds, dp.PosteriorSampling(gamma=1.0, lam=1.0), delta=1e-6).frame()", "data"),
        ("dp.sklearn.PrivateLogisticRegression", "data"),
        ("dp.figures.theme", "app"),
        ("dp.check_run('steps: 3', delta=1e-5)", "data"),
    ],
)
def test_what_is_missing_is_named_with_what_installs_it(asked, extra):
    (said,) = printed(f"try:\n    {asked}\nexcept dp.errors.MissingLibraryError as error:\n    print(error)")
    assert f"pip install 'dpcore[{extra}]'" in said
