"""The accuracy that a budget allows: live draws, studies that can be resumed, and the cost of solvers and of tuning.

Live draws: the distribution over noise draws on one split. It may be cached by dataset and learner; both are hashable.

>>> import numpy as np
>>> import dpcore as dp
>>> from dpcore.exhibits import training
>>> from dpcore.data.samples.synthetic import logistic_gaussian
>>> data = logistic_gaussian(300, 4, 8.0, np.random.default_rng(0)).dataset
>>> learner = dp.AMP("logistic", epsilon=1.0, delta=1e-5)  # or sigma=…, lam=…, clip=…, without epsilon
>>> shown = training.live(data, learner, draws=100)
>>> shown.scores["accuracy"].shape, shown.theta.shape, sorted(shown.plan.parameters)
((100,), (100, 4), ['clip', 'lam', 'sigma', 'sigma_out', 'tau'])
>>> bool(shown.excess.mean() <= shown.predicted_excess)
True

A comparison of learners: finished points are kept in a dict by key, so that after a change of settings only new points
are computed. It may stop after any point.

>>> study = training.LearnerComparison(
...     data, {"AMP": dp.AMP("logistic", epsilon=1.0), "none": dp.LEARNERS["non_private"]("logistic")},
...     epsilons=(0.5, 2.0), repeats=3)
>>> points = {}
>>> for point in study.run(points):  # progress: len(points) / len(study.tasks())
...     points[point.key] = point
>>> len(points), len(study.missing(points))
(9, 0)
>>> series = training.mean_scores(study.select(points))
>>> sorted({(s.name, s.score) for s in series})[:3]
[('AMP', 'accuracy'), ('AMP', 'auc'), ('AMP', 'bound')]
>>> [s.mean.shape for s in series if (s.name, s.score) == ("AMP", "accuracy")]
[(2,)]

Solvers: one point after another, slopes to compare with `THEORY_SLOPES`, and τ against σ_out at a fixed guarantee.

>>> counts = list(training.solver_counts((100, 400), ("newton", "accelerated_gradient")))
>>> [(c.solver, c.n) for c in counts]
[('newton', 100), ('accelerated_gradient', 100), ('newton', 400), ('accelerated_gradient', 400)]
>>> 1 < training.slope(counts, "accelerated_gradient") < 2
True
"""

from dpcore.exhibits.training.noise_draws import LiveResult, live
from dpcore.exhibits.training.solver_study import (
    SAG_CARD,
    SOLVER_TITLES,
    THEORY_SLOPES,
    SolverPoint,
    StoppingPoint,
    sag_bound,
    slope,
    solver_counts,
    stopping_tradeoff,
)
from dpcore.exhibits.training.splits import SCORES, Split, scores, split
from dpcore.exhibits.training.study import LearnerComparison, Series, Task, TrainedPoint, mean_scores
from dpcore.exhibits.training.tuning import BestOfGrid, TuningCost, best_of_grid, tuning_cost
