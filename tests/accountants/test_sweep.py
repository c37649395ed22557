"""One hundred cases of the generated sweep, once round its families."""

from collections import Counter

import pytest

from tests.accountants.sweep import FAMILIES, cases

_WIDTH = 1e-4  # in δ or in ε, whichever is closer


@pytest.mark.thorough
def test_every_truth_lies_in_its_bracket_which_is_as_narrow_as_asked():
    """Of all families, at the two ends of each composition's decade of δ: nothing else is between them."""
    found = list(cases(100, targets=2))
    each = [case for batch in found for case in batch or ()]
    assert [case for case in each if not case.margin >= 0] == []
    assert [case for case in each if case.width > _WIDTH] == []
    covered = Counter(case.family for case in each)
    assert (len(covered), covered.total()) == (len(FAMILIES), 100)
    assert min(covered.values()) >= 4
    assert sum(batch is None for batch in found) <= 0.1 * len(found)
