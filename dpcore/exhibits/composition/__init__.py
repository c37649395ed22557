"""Composition: sampled curves, growth with repetition, the cost of tuning, and the law of the loss over many runs."""

from dpcore.exhibits.composition.runs import GROWING, DrawnLoss, drift, growth_of_repeats, in_closed_form
from dpcore.exhibits.composition.sampled import (
    DRAWN,
    LAWS,
    composed_delta_curve,
    composed_epsilon_curve,
    composed_for_drawing,
    growth_curve,
    mean_runs,
    released_runs_curve,
    repeated,
    repeated_epsilon,
    tuning_curve,
)
