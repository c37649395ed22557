"""Private training on Synthetic-L (10 000 × 41): a whole sweep, one live redraw, and one release, in seconds.

Wall time and the processor time of this process: on a busy machine only the second says what the work costs.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dpcore as dp
from dpcore.data.samples.published import synthetic_l
from dpcore.exhibits import training

SWEEP_TARGET, LIVE_TARGET = 20.0, 0.5


def _time(work: Callable[[], Any]) -> tuple[float, float, Any]:
    wall, own = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - own, result


def run() -> list[str]:
    """One line per task."""
    data = synthetic_l()
    dp.solve(dp.Problem("logistic", data.X[:100], data.y[:100]))
    lines = []

    study = training.LearnerComparison(
        data, {"AMP": dp.AMP("logistic", epsilon=1.0)}, tuple(np.geomspace(0.05, 8, 20)), repeats=20
    )
    wall, own, points = _time(lambda: list(study.run()))
    lines.append(
        f"sweep of 20 ε × 20 splits, calibration included: {wall:.1f} s, {own:.1f} s of processor time, {len(points)} points; "
        f"target {SWEEP_TARGET:g} s"
    )
    learners = [dp.AMP("logistic", epsilon=epsilon) for epsilon in (0.11, 1.1, 7.1)]
    first = [_time(lambda learner=learner: training.live(data, learner)) for learner in learners]
    again = [_time(lambda learner=learner: training.live(data, learner)) for learner in learners]
    for what, found in (("with calibration", first), ("calibrated", again)):
        lines.append(
            f"live, 100 draws, {what}: at most {max(f[0] for f in found):.2f} s, {max(f[1] for f in found):.2f} s of "
            f"processor time; target {LIVE_TARGET:g} s"
        )
    facts = dp.PublicFacts.of(training.split(data).train)
    for tuning in ("none", "honest"):
        wall, own, _ = _time(lambda tuning=tuning: dp.DPSGD("logistic", epsilon=1.3, tuning=tuning).plan(facts))
        lines.append(f"DP-SGD noise, tuning {tuning}: {wall:.2f} s, {own:.2f} s of processor time")
    return lines
