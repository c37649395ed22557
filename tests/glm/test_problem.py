"""The objective against an extended-precision twin, however it is cut into blocks; and what it refuses."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import dpcore as dp
from dpcore.glm import threads
from tests.glm.data import LOSS_NAMES, objective, problem

CLIPS = pytest.mark.parametrize("clip", [None, 0.3])
LOSSES = pytest.mark.parametrize("loss", LOSS_NAMES)


@LOSSES
@CLIPS
def test_value_gradient_and_hessian(loss, clip):
    weights = np.array([0.0, 0.5, 1.0, 2.0, 7.0])
    p = problem(loss, lam=0.7, weights=weights, clip=clip)
    value, gradient = objective(loss, p.X, p.y, 0.7 * weights, p.linear, np.inf if clip is None else clip)
    rng = np.random.default_rng(3)
    for size in (0.1, 1.0, 3.0):
        theta = size * rng.standard_normal(5)
        assert np.allclose(p.gradient(theta), gradient(theta).astype(float), rtol=0, atol=1e-12)
        assert np.array_equal(p.value_and_gradient(theta)[1], p.gradient(theta))
        if clip is None:
            assert p.value(theta) == pytest.approx(float(value(np.asarray(theta, np.longdouble))), rel=1e-14)
        step = 1e-5
        slopes = [(gradient(theta + h) - gradient(theta - h)).astype(float) / (2 * step) for h in step * np.eye(5)]
        kinks = loss in ("smoothed_hinge", "huber") or clip is not None
        assert np.allclose(p.hessian(theta), slopes, rtol=1e-7, atol=1.5 if kinks else 1e-6)


@LOSSES
def test_a_clipped_value_has_the_clipped_gradient(loss):
    p = problem(loss, n=40, clip=0.2)
    theta = np.random.default_rng(1).standard_normal(5)
    step = 1e-6
    slopes = [(p.value(theta + step * e) - p.value(theta - step * e)) / (2 * step) for e in np.eye(5)]
    assert np.allclose(slopes, p.gradient(theta), atol=1e-7)


@LOSSES
@CLIPS
def test_one_pass_for_many_theta_gives_each_gradient(loss, clip):
    p = problem(loss, n=3000, clip=clip)
    rng = np.random.default_rng(0)
    thetas, linear = rng.standard_normal((7, 5)), rng.standard_normal((7, 5))
    each = [p.replace(linear=b).gradient(theta) for theta, b in zip(thetas, linear, strict=True)]
    assert np.allclose(p.gradients(thetas, linear), each, rtol=0, atol=1e-11)


@LOSSES
def test_blocks_and_two_threads_change_nothing_but_rounding(loss, monkeypatch):
    p = problem(loss, n=1000)
    theta = np.random.default_rng(0).standard_normal(5)
    whole = p.value(theta), p.gradient(theta), p.hessian(theta)
    monkeypatch.setattr("dpcore.glm.problem.BLOCK_BYTES", 8 * 5 * 70)
    monkeypatch.setattr(threads, "WORTH_TWO_THREADS", 0)
    cut = p.value(theta), p.gradient(theta), p.hessian(theta)
    for a, b in zip(whole, cut, strict=True):
        assert np.allclose(a, b, rtol=1e-13, atol=1e-11)
    again = p.value(theta), p.gradient(theta), p.hessian(theta)
    assert all(np.array_equal(a, b) for a, b in zip(cut, again, strict=True))


def test_busy_helpers_are_not_waited_for():
    leave = threading.Event()
    busy = [threads._HELPERS.submit(leave.wait, 20) for _ in range(threads._HELPERS._max_workers)]
    parts = threads.over_blocks(lambda blocks: [block.start for block in blocks], 100, 10, 1e12)
    assert not any(task.done() for task in busy)
    leave.set()
    assert [start for part in parts for start in part] == list(range(0, 100, 10))


def test_a_child_process_has_no_helpers_and_does_without(tmp_path):
    """Threads do not survive a fork; the copied pool must not be waited for."""
    script = tmp_path / "fork.py"
    script.write_text(
        "import os\nfrom dpcore.glm import threads\n"
        "run = lambda: threads.over_blocks(len, 100, 10, 1e12)\nassert run() == [5, 5]\n"
        "child = os.fork()\nif not child:\n    os._exit(run() != [5, 5])\nassert os.waitpid(child, 0)[1] == 0\n"
    )
    subprocess.run([sys.executable, script], check=True, timeout=60)


def test_blas_threads_come_back_when_the_last_user_leaves():
    def blas_threads():
        return {info["num_threads"] for info in ThreadpoolController().info() if info["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        with threads.SINGLE_THREADED_BLAS:
            with threads.SINGLE_THREADED_BLAS:
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_the_rounding_estimate_has_the_size_of_the_error_of_a_gradient():
    for loss in LOSS_NAMES:
        for size in (1.0, 30.0):
            p = problem(loss, n=2000, lam=0.1, noise=50.0)
            theta = size / 10 * np.random.default_rng(0).standard_normal(5)
            _, gradient = objective(loss, p.X, p.y, p.penalty, p.linear)
            error = float(np.linalg.norm((p.gradient(theta) - gradient(theta)).astype(float)))
            assert error / 10 <= p.gradient_round_off(theta) <= 1000 * error


def test_replace_keeps_the_data_and_checks_the_terms():
    p = problem("logistic", clip=0.5)
    theta = np.ones(5)
    linear = np.arange(5.0)
    other = p.replace(linear=linear, lam=3.0)
    linear[:] = 9  # of a copy
    assert other.X is p.X
    assert np.allclose(other.gradient(theta) - p.gradient(theta), np.arange(5) - p.linear + 2.0)
    assert p.lam == 1.0
    with pytest.raises(dp.ParameterError, match=r"linear must have the shape \(5,\), got \(4,\)"):
        p.replace(linear=np.zeros(4))


def test_record_curvatures():
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert np.array_equal(dp.Problem("logistic", X, [1, -1]).record_curvatures(), [25 / 4, 0])
    assert np.array_equal(dp.Problem("poisson", X, [1, 2]).record_curvatures(), [np.inf, 0])
    assert np.allclose(dp.Problem("poisson", X, [1, 2], clip=10.0).record_curvatures(), [25 * 3, 0])
    assert np.allclose(dp.Problem("logistic", X, [1, -1], clip=0.5).record_curvatures(), [25 * 0.09, 0])


X2, Y2 = np.ones((2, 1)), np.ones(2)
WRONG_DATA = [  # what holds no numbers is asked of the data set, what is no target of the losses
    ("logistic", X2, [0, 1], r"holds 0 .first at y\[0\]., but the logistic loss needs labels -1"),
    ("squared", X2, [1, 2, 3], "X has 2 rows but y has 3 values"),
    ("squared", np.ones((0, 2)), [], "X has 0 rows and 2 columns"),
    ("squared", [[1], [np.nan]], Y2, r"X\[1, 0\] is nan"),
]
WRONG_PARAMETERS = [
    ("logit", {}, "loss must be one of 'logistic', 'smoothed_hinge', 'squared'"),
    ("squared", {"lam": -1}, "lam must be >= 0, got -1.0"),
    ("squared", {"linear": 1.0}, r"linear must have the shape \(1,\), got \(\)"),
    ("squared", {"weights": [-1]}, "weights must be >= 0, got -1"),
    ("squared", {"clip": 0}, "clip must be > 0, got 0.0"),
]


@pytest.mark.parametrize(("loss", "X", "y", "sentence"), WRONG_DATA)
def test_what_is_wrong_with_data_is_said(loss, X, y, sentence):
    with pytest.raises(dp.DataError, match=sentence):
        dp.Problem(loss, X, y)


@pytest.mark.parametrize(("loss", "options", "sentence"), WRONG_PARAMETERS)
def test_what_is_wrong_with_a_parameter_is_said(loss, options, sentence):
    with pytest.raises(dp.ParameterError, match=sentence):
        dp.Problem(loss, X2, Y2, **options)
