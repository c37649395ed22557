"""Fig. 6 of the source on Adult: its split, its Λ₀ and T, and the two numbers that its text prints."""

import numpy as np

from dpcore.errors import DataError
from dpcore.exhibits.noise_augmentation.settings import Case
from dpcore.exhibits.noise_augmentation.simulation import Protocol

TRAIN_RECORDS, TEST_RECORDS = 30_162, 15_060
PRINTED_RATES = {"VS+": 0.155, "lasso": 0.152}  # misclassified at ε = 1; the source does not say for which Λ
AS_IN_SOURCE = Protocol(ordered=True, floor=1.0, limit=80)
_OVER_50K = (7_508, 3_700)


def is_adult(case: Case) -> bool:
    """Whether the file has as many records as the source's Adult."""
    return len(case.y) == TRAIN_RECORDS + TEST_RECORDS


def source_split(case: Case) -> tuple[int, int]:
    """Records with the larger income among the first 30 162 and the last 15 060; 7 508 and 3 700 in the source.

    Raises
    ------
    DataError
        If the file is not as long as the source's.

    References: li-liu-napp (section 5.2, Fig. 6).
    """
    if not is_adult(case):
        raise DataError(
            f"The source's split takes {TRAIN_RECORDS} records of adult.data and {TEST_RECORDS} of adult.test, without "
            f"missing values, one below the other: {TRAIN_RECORDS + TEST_RECORDS} rows. This file has {len(case.y)}; turn "
            "off 'As in the source' to split it at random."
        )
    over = case.y > np.mean(case.y)
    return int(over[:TRAIN_RECORDS].sum()), int(over[TRAIN_RECORDS:].sum())


def same_split(case: Case) -> bool:
    """Whether both parts have as many records with the larger income as in the source."""
    return source_split(case) == _OVER_50K
