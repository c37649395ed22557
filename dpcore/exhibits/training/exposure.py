"""Rows of noisy gradient descent by group: whose gradients stay long is given away more."""

import numpy as np
import pandas as pd

from dpcore.data import Dataset
from dpcore.learners.gradient_norms import DescentExposure


def by_target(dataset: Dataset, found: DescentExposure) -> pd.DataFrame:
    """Number of rows, ε and gradient norm of each value of the target; of its lower and upper half if there are many."""
    y = dataset.y
    if np.unique(y).size > 2:
        middle = np.median(y)
        group = np.where(y > middle, f"target above {middle:.3g}", f"target up to {middle:.3g}")
    else:
        group = np.char.add("target ", np.array([f"{value:.3g}" for value in y]))
    rows = pd.DataFrame({"group": group, "epsilon": found.epsilon, "norm": found.norm}).groupby("group")
    return pd.DataFrame(
        {
            "rows": rows.size(),
            "ε, median": rows["epsilon"].median(),
            "ε, largest": rows["epsilon"].max(),
            "gradient over C, mean": rows["norm"].mean(),
        }
    ).reset_index()
