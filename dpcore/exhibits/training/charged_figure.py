"""What noisy gradient descent gives away about each row, beside what it is charged."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dpcore.exhibits.per_instance.rows_figure import Marker, epsilon_histogram
from dpcore.individual.all_rows.pictured import histogram
from dpcore.individual.method import EpsilonMethod
from dpcore.learners.gradient_norms import DescentExposure


@dataclass(frozen=True)
class _Bounded:
    epsilon: np.ndarray
    method: EpsilonMethod = EpsilonMethod.UPPER


def charged_figure(found: DescentExposure, median: float, mode: str) -> go.Figure:
    """The histogram of ε over the rows, with lines for the median row and for what is charged."""
    markers = [
        Marker("median row", median, "median"),
        Marker("charged to every row", found.worst_case, "worst_case", median),
    ]
    return epsilon_histogram(histogram(_Bounded(found.epsilon), [found.worst_case]), markers, mode)
