"""Which tier a test is in, and that files that take long start first: no worker is left with one at the end."""

import gc
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.tiers import sort_into_tiers

if "PYTEST_XDIST_WORKER" in os.environ:  # where workers share the cores, threads of linear algebra wait by spinning
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
ROOT = Path(__file__).parent
LONG = ("browser", "individual/exact", "learners/test_sklearn.py", "accountants/test_sweep.py", "pages")  # per test


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # as collected: sorted by their number of tests, browser tests came last


@pytest.hookimpl(tryfirst=True)  # before what `-m` leaves out is left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Among workers the long folders and files come first, as they are listed, then files with most tests.

    Alone, tests run in their order.
    """
    sort_into_tiers(items, whole=not any("::" in one for one in config.args))
    if not hasattr(config, "workerinput"):
        return
    size = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        name = item.path.relative_to(ROOT).as_posix()
        listed = [name.startswith(one) for one in LONG]
        return [*listed, True].index(True), -size[item.path], item.path

    items.sort(key=place)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was imported stays: it need not be looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
