"""Targets with known constants, each in NumPy and, for one dimension, as a scalar potential for quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore.sampling import Target


@dataclass(frozen=True)
class Case:
    name: str
    target: Target
    scalar: Callable[..., float]
    kinks: tuple[float, ...] = ()


def line(name, potential, slope, m, *, radius=math.inf, smoothness=math.inf, lipschitz=math.inf, kinks=()):
    target = Target(
        lambda x: potential(x[:, 0]), lambda x: slope(x[:, 0])[:, None], 1, m, radius, smoothness, lipschitz
    )
    return Case(name, target, lambda x: float(potential(np.float64(x))), tuple(kinks))


def gaussian(m, centre, radius=math.inf):
    return line(
        f"gaussian m={m} at {centre} in {radius}",
        lambda x: m / 2 * (x - centre) ** 2, lambda x: m * (x - centre), m,
        radius=radius, smoothness=0.0, lipschitz=abs(m * centre),
    )  # fmt: skip


def median(k, m, points, radius):
    z = np.array(points)
    return line(
        f"median k={k} m={m} in {radius}",
        lambda x: k * np.abs(np.asarray(x)[..., None] - z).mean(axis=-1) + m / 2 * x**2,
        lambda x: k * np.sign(x[:, None] - z).mean(axis=1) + m * x,
        m, radius=radius, lipschitz=k, kinks=points,
    )  # fmt: skip


def logistic(k, m, points, radius=math.inf):
    z = np.array(points)
    return line(
        f"logistic k={k} m={m} in {radius}",
        lambda x: k * np.logaddexp(0, -np.asarray(x)[..., None] * z).mean(axis=-1) + m / 2 * x**2,
        lambda x: k * (-z / (1 + np.exp(x[:, None] * z))).mean(axis=1) + m * x,
        m, radius=radius, smoothness=k * float(np.mean(z**2)) / 4, lipschitz=k * float(np.mean(np.abs(z))),
    )  # fmt: skip


LINES = [
    gaussian(1.0, 0.0),
    gaussian(25.0, 1.3, 1.0),
    gaussian(0.01, 3.0, 2.0),
    median(20.0, 1.0, (-0.5, 0.1, 0.9), 1.0),
    median(5.0, 0.5, (0.0,), math.inf),
    logistic(10.0, 0.5, (1.0, 0.7, -0.3)),
    logistic(50.0, 0.2, (1.0, 1.0, 1.0, -0.2), 3.0),
]


def plane(name, center, matrix, k, m, radius):
    """k log(1 + e^{−aᵀx}) summed over rows a, plus (m/2)‖x − c‖² written around the origin."""
    A = np.array(matrix)
    c = np.array(center)

    def potential(x):
        return k * np.logaddexp(0, -x @ A.T).mean(axis=1) + m / 2 * np.sum((x - c) ** 2, axis=1)

    def gradient(x):
        return -k * (1 / (1 + np.exp(x @ A.T))) @ A / len(A) + m * (x - c)

    smoothness = k * float(np.linalg.eigvalsh(A.T @ A / len(A))[-1]) / 4
    target = Target(potential, gradient, 2, m, radius, smoothness)
    return Case(name, target, lambda x, y: float(potential(np.array([[x, y]]))[0]))


PLANES = [
    plane("plane free", (0.3, -0.2), [[1.0, 0.2], [0.5, -1.0], [-0.3, 0.4]], 6.0, 2.0, math.inf),
    plane("plane at the border", (1.4, 0.4), [[1.0, 0.0]], 4.0, 6.0, 1.0),
    plane("plane correlated", (0.0, 0.5), [[1.0, 0.9], [0.9, 1.0], [-0.2, 0.1]], 25.0, 0.7, 2.0),
]
