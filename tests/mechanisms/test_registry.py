"""Every entry of the registry against the contract of mechanisms, and what an entry reaches without being named anywhere."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import dpcore as dp
from pages.components.words import program_text
from tests.contracts import mechanism as contracts
from tests.pages.tabs import run

ROOT = Path(__file__).parents[2]
KEY, NAME = "discrete_gaussian", "Discrete Gaussian"
NAMED_IN = {
    "dpcore/__init__.py",
    "dpcore/individual/publication/plan.py",  # counts rows with this noise
    "dpcore/mechanisms/__init__.py",
    "dpcore/mechanisms/discrete_gaussian.py",
    "dpcore/runs/readers/opendp.py",  # OpenDP draws this noise
}


@pytest.mark.parametrize("check", contracts.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("key", dp.MECHANISMS)
def test_contract(key, check):
    check(dp.MECHANISMS[key])


def test_a_mechanism_is_a_file_and_a_line_of_the_registry():
    sources = [*(ROOT / "dpcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    naming = {str(path.relative_to(ROOT)) for path in sources if names_it(path.read_text(encoding="utf-8"))}
    assert naming == NAMED_IN
    registry = (ROOT / "dpcore" / "mechanisms" / "__init__.py").read_text(encoding="utf-8")
    assert registry.count(f"{KEY}.ENTRY") == 1


def names_it(source: str) -> bool:
    return KEY in source or "DiscreteGaussian" in source


def test_it_is_cross_checked_by_its_masses():
    app = run("verify/cross_check", cc_mechanism=KEY, cc_tab="All digits")
    assert any(NAME in heading.value for heading in app.header)
    frame = app.dataframe[0].value
    assert set(frame["how"]) == {"sum over all outcomes"}
    assert float(frame["relative difference"].astype(float).max()) < 1e-12


def test_code_of_nested_mechanisms_runs():
    mechanism = dp.Subsampled(dp.Subsampled(dp.DiscreteGaussian(2.0), 0.5), 0.1)
    assert eval(program_text(mechanism), {"dp": dp}) == mechanism


@pytest.mark.parametrize("mechanism", [
    *(entry.default() for entry in dp.MECHANISMS.values()),
    dp.ObjectivePerturbation(sigma=5.0, lam=20.0, lipschitz=1.0, smoothness=1.0, bound="kifer"),
    dp.OutputPerturbation(sigma=2.0, lam=1.0), dp.PosteriorSampling(gamma=2.0, lam=1.0),
], ids=repr)  # fmt: skip
def test_arguments_read_back_under_their_names(mechanism):
    """Except where every profile has another meaning for the name: ε(δ), and what a curve is."""
    kept = {"epsilon": "pure_epsilon", "bound": "analysis"}
    names = [name for name in inspect.signature(type(mechanism)).parameters if name not in ("domain", "clip")]
    values = {name: getattr(mechanism, kept.get(name, name)) for name in names}
    assert type(mechanism)(**values) == mechanism
