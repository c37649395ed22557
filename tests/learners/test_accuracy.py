"""The one rule reaches its accuracy on Synthetic-L; `python -m tests.learners.synthetic_l` runs all fifty splits."""

import pytest

from tests.learners.synthetic_l import TARGETS, accuracy


@pytest.mark.parametrize("epsilon", TARGETS)
def test_synthetic_l_on_the_first_ten_splits(epsilon):
    assert accuracy(epsilon, splits=10, releases=1).mean() >= TARGETS[epsilon]
