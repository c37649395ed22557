"""Of tests with many cases, those that run every time; the other cases are among the thorough ones.

A representative stands for all: each case asks the same question, and a fault of one alone is found by `.ci/run`, which runs
the thorough tests too. A test has its first case and a sixteenth of the others, chosen by their names; or, where cases cost much
or differ in kind, what is said here: the file and the test, then what the name of a case holds that is kept.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

import pytest

_ONE_IN = 16  # of further cases; doubled, the cases that are left take about half as long
KEPT = {
    "browser/test_live.py::test_what_is_read_while_a_slider_is_held_is_what_the_page_says_there": "^objective_perturbation$",
    "individual/test_analyses.py::test_glm_contract": "^(posterior-logistic|output-poisson)-",
    "learners/test_sklearn.py::test_scikit_learns_own_checks": "LogisticRegression",
    "mechanisms/objective_perturbation/test_tight.py::test_matches_the_theorem_and_is_never_below": (
        r"^(?!0\.01-|0\.3-1\.0-0\.6932|0\.0011|10\.0-100)"
    ),
    "mechanisms/test_contracts.py::test_contract": r"^(?!(discrete|subsampled)_gaussian-|subsampled-(?!laplace)|Subsampled\()",
    "pages/test_contracts.py::test_page": "^understand/privacy_curves-check_(?!names)|check_says_what_it_is",
    "pages/test_live.py::test_a_frame_is_what_the_page_draws_there": "^noise of the first mechanism$",
    "pages/verify/test_audit.py::test_every_learner_can_be_attacked": "output_perturbation|posterior_sampling",
    "pages/verify/test_audit.py::test_every_mechanism_can_be_attacked": "^(laplace|subsampled_gaussian)$",
}


def sort_into_tiers(items: Iterable[pytest.Item], whole: bool) -> None:
    """Mark the cases that are not kept; where whole files were asked for, each test named here must keep one."""
    kept: dict[str, bool] = {}
    for item in items:
        name, _, case = item.nodeid.removeprefix("tests/").removesuffix("]").partition("[")
        chosen = (
            re.search(KEPT[name], case)
            if name in KEPT
            else name not in kept or zlib.crc32(case.encode()) % _ONE_IN == 0
        )
        stays = bool(chosen) and not item.get_closest_marker("thorough")
        kept[name] = stays or kept.get(name, False)
        if not stays:
            item.add_marker(pytest.mark.thorough)
    if whole and (lost := [name for name, some in kept.items() if name in KEPT and not some]):
        raise pytest.UsageError(f"tests/tiers.py keeps no case of {', '.join(lost)}")
