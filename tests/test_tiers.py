"""Which cases run every time is said of tests that exist."""

from pathlib import Path

from tests.tiers import KEPT

ROOT = Path(__file__).parent


def test_each_test_with_kept_cases_stands_where_it_is_said_to_be():
    for name in KEPT:
        file, test = name.split("::")
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), name
