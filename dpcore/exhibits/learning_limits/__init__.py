"""What private learning costs, what it cannot do at all, and the notions of convexity that other pages use."""

from dpcore.exhibits.learning_limits.convexity import CONVEXITY_CARD
from dpcore.exhibits.learning_limits.packing import (
    PACKING_CARD,
    PACKING_LEARNERS,
    SUCCESS,
    Filling,
    Packing,
    bins_filled,
    laplace_law,
    law_on_reference,
    search_law,
    success_curves,
    worst_success,
)
from dpcore.exhibits.learning_limits.risk import (
    FINITE_CARD,
    RiskBound,
    finite_class_risks,
    measured_excess,
    risk_bound,
)
