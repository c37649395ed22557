"""The GLM engine: losses, the objective, and solvers that verify their answer."""

from dpcore.glm.batch import BatchFit, solve_batch
from dpcore.glm.first_order import AcceleratedGradient, GradientDescent
from dpcore.glm.fit import SOLVERS, Fit, solve
from dpcore.glm.lbfgs import LBFGS
from dpcore.glm.losses import LOSSES, Clipped, Huber, Logistic, Loss, LossConstants, Poisson, SmoothedHinge, Squared
from dpcore.glm.newton import Newton
from dpcore.glm.problem import Problem
from dpcore.glm.sag import SAG
from dpcore.glm.solver import Solver

__all__ = [
    "LBFGS", "LOSSES", "SAG", "SOLVERS", "AcceleratedGradient", "BatchFit", "Clipped", "Fit", "GradientDescent",
    "Huber", "Logistic", "Loss", "LossConstants", "Newton", "Poisson", "Problem", "SmoothedHinge", "Solver", "Squared",
    "solve", "solve_batch",
]  # fmt: skip
