"""The picture of what was published holds nothing else unless it is asked for."""

import pytest

from dpcore.exhibits.per_instance.rows_figure import published_counts
from dpcore.individual.publication.statement import PublishedExposure

FOUND = PublishedExposure(
    "a release", 1e-6, (0.0, 0.1, 0.2, 0.4), (5, -2, 30), 4.0, 1.0, 1e-6, 0.05, 0.05, "a bound", "Together: much."
)


def test_confidential_counts_are_drawn_only_where_they_are_given():
    (bars,) = published_counts(FOUND, "light").data
    assert (bars.y, bars.error_y.value) == (FOUND.counts, pytest.approx(1.96 * 4.0))
    assert [a + w / 2 for a, w in zip(bars.x, bars.width, strict=True)] == pytest.approx(FOUND.edges[1:])
    _, line = published_counts(FOUND, "dark", confidential=[1, 2, 3]).data
    assert line.y == (1, 2, 3, 3)
    assert "confidential" in line.name
