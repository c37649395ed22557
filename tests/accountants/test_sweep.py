"""One hundred cases of the generated sweep, once round its families."""

from collections import Counter

import pytest

from tests.accountants.sweep import FAMILIES, cases

_WIDTH = 1e-4  # in δ or in ε, whichever is closer


@pytest.fixture(scope="module")
def found():
    """At the two ends of each composition's decade of δ: nothing else is between them."""
    return list(cases(100, targets=2))


@pytest.mark.thorough
def test_every_truth_lies_in_its_bracket_which_is_as_narrow_as_asked(found):
    each = [case for batch in found for case in batch or ()]
    assert [case for case in each if not case.margin >= 0] == []
    assert [case for case in each if case.width > _WIDTH] == []


@pytest.mark.thorough
def test_every_family_is_covered(found):
    covered = Counter(case.family for batch in found for case in batch or ())
    assert sum(covered.values()) == 100
    assert len(covered) == len(FAMILIES)
    assert min(covered.values()) >= 4
    assert sum(batch is None for batch in found) <= 0.1 * len(found)
