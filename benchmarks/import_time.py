"""`import dpcore`, and the objects of its core, beside the numerical libraries they stand on: fresh interpreters in turn."""

import statistics
import subprocess
import sys

_ROUNDS = 9
_PEER = "import numpy, scipy.special, scipy.optimize, scipy.linalg"
_OWN = {
    "import dpcore": "import dpcore",
    "a profile and its ε": "import dpcore as dp; dp.Gaussian(sigma=5.0).epsilon(1e-5)",
    "profiles, learners, rows": "import dpcore as dp; dp.Gaussian, dp.compose, dp.calibrate, dp.solve, dp.AMP, dp.individual_privacy",
    "every name": "import dpcore as dp; [getattr(dp, name) for name in dp.__all__]",
}


def _seconds(code: str) -> float:
    """Wall time of the code in a fresh interpreter, without the start of the interpreter."""
    timed = f"import time; start = time.perf_counter(); {code}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stdout)


def run() -> list[str]:
    """One line per import: least and median time, and the ratio of both to the peer's."""
    codes = {_PEER: _PEER, **_OWN}
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(_ROUNDS):
        for name, code in codes.items():
            times[name].append(_seconds(code))
    least = {name: min(values) for name, values in times.items()}
    median = {name: statistics.median(values) for name, values in times.items()}
    lines = [f"peer: {_PEER}: {1e3 * least[_PEER]:.0f} ms, median {1e3 * median[_PEER]:.0f} ms"]
    for name in _OWN:
        ratio, usual = least[name] / least[_PEER], median[name] / median[_PEER]
        lines.append(f"{name:32s} {1e3 * least[name]:5.0f} ms, {ratio:4.2f} x the peer (medians {usual:4.2f})")
    return lines
