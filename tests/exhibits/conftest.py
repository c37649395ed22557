"""Sixty rows, and a release of each kind, for exhibits of linear regression."""

import pytest

import dpcore as dp
from tests.individual.conftest import random_data

OPS = dp.PosteriorSampling(gamma=0.5, lam=1.0)
OUTPUT = dp.OutputPerturbation(sigma=0.5, lam=1.0)
OBJECTIVE = dp.ObjectivePerturbation(sigma=1.0, lam=1.0, lipschitz=1.0, loss="squared")


@pytest.fixture(scope="session")
def ds():
    return random_data(1, 60, 3, domain=dp.Domain())
