"""Fixtures for tests of pages."""

import secrets

import numpy as np
import pytest

import tests.pages.tabs  # noqa: F401 - from then on a run fails where its script raises


@pytest.fixture
def same_chance(monkeypatch):
    """Games that are dealt anew for everybody are dealt alike."""
    fresh = np.random.default_rng
    monkeypatch.setattr(secrets, "randbelow", lambda end: 0)
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: fresh(0 if seed is None else seed))
