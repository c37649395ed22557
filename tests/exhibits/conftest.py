"""Sixty rows for exhibits of linear regression."""

from tests.individual.conftest import small as ds  # noqa: F401 - a fixture
