"""A few random settings of any scale; `python -m tests.learners.sweep` runs many."""

import pytest

from tests.learners.sweep import run


@pytest.mark.thorough
def test_every_learner_releases_what_it_states_or_refuses():
    wrong, outcomes = run(10, seed=3)
    assert wrong == []
    assert sum(count for (_, outcome), count in outcomes.items() if outcome == "released") >= 8
