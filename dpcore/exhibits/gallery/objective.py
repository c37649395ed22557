"""Figures of the objective-perturbation paper that are curves of guarantees: 1, 3, 4 and 5."""

import numpy as np

from dpcore.accountants import compose
from dpcore.accountants.published import published_epsilon
from dpcore.exhibits.gallery.exhibit import Drawing, Finding, Shown, Stroke
from dpcore.mechanisms import Gaussian, ObjectivePerturbation, Subsampled

_BOUNDS = {  # name, look and role of the curve of each bound
    "kifer": ("Kifer et al. (Thm 2.8)", "line", "Kifer 2012"),
    "renyi": ("Rényi (Thm 3.2)", "line", "Thm 3.2"),
    "hockey_stick": ("hockey-stick (Thm 3.1)", "line", "Thm 3.1"),
    "tight": ("exact worst case", "exact", "Tight"),
    "lower": ("Gaussian lower bound (Lemma 3.4)", "dot", "Gaussian"),
}
_SLACK = 1e-9  # relative amount by which a curve may exceed another for round-off
_SHOWN = 1e-12  # smaller values of δ are not drawn
_COUNTS = (1, 2, 4, 8)
# Largest ratio of two curves that count as one, and of two that have joined. Doubled, curves join at smaller orders.
_TENTH, _HALF = 1.1, 1.5


def _mechanism(sigma: float, lam: float, bound: str, log_term: str = "minus") -> ObjectivePerturbation:
    return ObjectivePerturbation(sigma=sigma, lam=lam, lipschitz=1.0, smoothness=1.0, bound=bound, log_term=log_term)


def _below(what: str, small: np.ndarray, large: np.ndarray, strictly: bool = False) -> Finding:
    """Whether one curve lies below another wherever both are finite and the larger one is positive."""
    known = np.isfinite(small) & np.isfinite(large) & (large > 0)
    share = small[known] / large[known]
    worst = float(share.max()) if share.size else np.nan
    holds = worst < 1 if strictly else worst <= 1 + _SLACK
    return Finding(what, bool(holds), f"the ratio is at most {worst:.4g}", refutes=True)


def _improves(what: str, ours: np.ndarray, theirs: np.ndarray) -> Finding:
    """Whether a bound on δ is smaller wherever one of the two is below 1, and at most half on half of the axis."""
    ours, theirs = np.minimum(ours, 1.0), np.minimum(theirs, 1.0)
    says = np.minimum(ours, theirs) < 1
    share = ours[says] / theirs[says]
    twice = float((ours <= theirs / 2).mean())
    return Finding(
        what, bool(says.any() and share.max() < 1 and twice >= 0.5),
        f"smaller wherever one of the two is below 1 (ratio at most {share.max(initial=0.0):.4g}), at most half on "
        f"{100 * twice:.0f} % of the axis (wanted: half of it)", refutes=True,
    )  # fmt: skip


def bounds(sigma: float, lam: float, epsilon_max: float, points: int = 61) -> Shown:
    """Figure 1: δ(ε) by every bound on objective perturbation with L = β = 1, and by the exact worst case."""
    epsilon = np.linspace(0.0, epsilon_max, points)
    found = {bound: np.asarray(_mechanism(sigma, lam, bound).delta(epsilon)) for bound in _BOUNDS}
    seen = {bound: np.where((delta > _SHOWN) & (delta < 1), delta, np.nan) for bound, delta in found.items()}
    strokes = tuple(Stroke(name, epsilon, seen[key], look, role=role) for key, (name, look, role) in _BOUNDS.items())
    checks = (
        _below("The Gaussian is a lower bound on Theorem 3.1", found["lower"], found["hockey_stick"]),
        _below("The hockey-stick bound is tighter than the Rényi bound", found["hockey_stick"], found["renyi"]),
        *(
            _improves(f"{name} improves on Kifer et al.", found[bound], found["kifer"])
            for bound, name in (("hockey_stick", "Theorem 3.1"), ("renyi", "Theorem 3.2"))
        ),
        _below("Theorem 3.1 is an upper bound on the exact worst case", found["tight"], found["hockey_stick"]),
    )
    return Shown(Drawing(strokes, "ε (nats)", "δ", y_log=True), checks)


def _joins(sigma: float, lam: float, bound: str, within: float) -> float:
    """Smallest order up to 10⁵ from which on a curve is at most `within` times the normal one; ∞ if there is none."""
    alpha = 1 + np.geomspace(0.1, 1e5, 601)
    curve, normal = (np.asarray(_mechanism(sigma, lam, one, "plus").renyi(alpha)) for one in (bound, "lower"))
    apart = np.flatnonzero(~(curve <= within * normal))
    return float(np.append(alpha, np.inf)[apart[-1] + 1 if apart.size else 0])


def _beside(sigma: float, lam: float, other: float) -> Finding:
    """The statement of the text about two panels: with more noise the curves join at a larger order."""
    (low, first), (high, last) = sorted((one, _joins(one, lam, "half_normal", _TENTH)) for one in (sigma, other))
    return Finding(
        "With more noise half-normal joins normal at a larger α", first < last,
        f"within a tenth from α = {first:.3g} on at σ = {low:g}, from α = {last:.3g} on at σ = {high:g}", refutes=True,
    )  # fmt: skip


def renyi_curves(sigma: float, lam: float, other: float) -> Shown:
    """Figure 3: Rényi divergence by order of the Gaussian, the half-normal limit and Theorem 3.2, with log(1 + β/λ).

    By construction the curves lie in this order, and the last two differ by the leading term alone, which vanishes as λ
    grows. So these facts are not checked, but only statements that could fail.

    Parameters
    ----------
    sigma, lam : σ and λ of the panel
    other : σ of the panel that the text compares it with
    """
    alpha = 1 + np.geomspace(0.1, 999.0, 61)
    lower, half, ours = (
        np.asarray(_mechanism(sigma, lam, bound, "plus").renyi(alpha)) for bound in ("lower", "half_normal", "renyi")
    )
    strokes = (
        Stroke("ObjPert (Thm 3.2)", alpha, ours, role="Thm 3.2"), Stroke("half-normal", alpha, half, "dash", role="Half-normal"),
        Stroke("normal", alpha, lower, "dot", role="Gaussian"),
    )  # fmt: skip
    joined = [_joins(sigma, lam, bound, _HALF) for bound in ("half_normal", "renyi")]
    checks = (
        Finding(
            "Both join the normal curve as α grows", all(np.isfinite(joined)),
            f"at most {_HALF:g} × normal from α = {joined[0]:.3g} on (half-normal), {joined[1]:.3g} on (ObjPert); wanted: "
            f"some α up to 10⁵. At the end of the axis, α = {alpha[-1]:.3g}, they are {half[-1] / lower[-1]:.3g} × and "
            f"{ours[-1] / lower[-1]:.3g} ×",
            refutes=True,
        ),
        _beside(sigma, lam, other),
    )  # fmt: skip
    return Shown(Drawing(strokes, "order α", "Rényi divergence (nats)", True, True), checks)


def compositions(sigma: float, lam: float, delta: float) -> Shown:
    """Figure 4: ε(δ) of k objective perturbations by the loss variable of (D.11) and by Rényi divergences."""
    log_jump = float(-np.log1p(-1.0 / lam))
    numeric = np.array([published_epsilon(1.0 / sigma, log_jump, k, delta) for k in _COUNTS])
    published = _mechanism(sigma, lam, "renyi")
    renyi = np.array([float(compose([(published, k)], method="renyi").upper.epsilon(delta)) for k in _COUNTS])
    x = np.array(_COUNTS, dtype=float)
    strokes = (
        Stroke("Rényi", x, renyi, role="Rényi"), Stroke("loss variable (D.11)", x, numeric, role="Source, D.11"),
    )  # fmt: skip
    checks = (_below("The numerical bound lies below the Rényi bound", numeric, renyi, strictly=True),)
    return Shown(Drawing(strokes, "compositions k", "ε (nats)", True, True), checks)


def phases(sigma: float, rate: float, sgd_sigma: float, lam: float, points: int = 81) -> Shown:
    """Figure 5: Rényi curves of objective perturbation, a Gaussian, and a step of DP-SGD on a sample.

    Parameters
    ----------
    sigma : noise of objective perturbation and of the Gaussian
    rate, sgd_sigma : sampling probability and noise of the step
    lam : λ, with L = β = 1
    points : orders on the axis

    References: redberg-koskela-wang-2023 (Figure 5, Appendix I.1).
    """
    alpha = 1 + np.geomspace(0.5, 999.0, points)
    ours = np.asarray(_mechanism(sigma, lam, "renyi").renyi(alpha))
    gaussian = np.asarray(Gaussian(sigma).renyi(alpha))
    sgd = np.asarray(Subsampled(Gaussian(sgd_sigma), rate).renyi(alpha))
    small, large = sgd[0] / alpha[0], sgd[-1] / alpha[-1]
    strokes = (
        Stroke("ObjPert (Thm 3.2)", alpha, ours, role="Thm 3.2"),
        Stroke("DP-SGD, one step", alpha, sgd),
        Stroke("Gaussian", alpha, gaussian, "dot", role="Gaussian"),
    )
    checks = (
        Finding(
            "DP-SGD is stronger at small α, ObjPert at large α", bool(sgd[0] < ours[0] and sgd[-1] > ours[-1]),
            f"DP-SGD over ObjPert is {sgd[0] / ours[0]:.3g} at α = {alpha[0]:.3g} and {sgd[-1] / ours[-1]:.3g} at α = {alpha[-1]:.3g}",
        ),
        Finding(
            "DP-SGD leaps up as α grows", bool(large > 2 * small),
            f"its divergence over α rises from {small:.3g} to {large:.3g}, {large / small:.3g} times (wanted: 2)",
        ),
        Finding(
            "ObjPert joins the Gaussian as α grows", bool(ours[-1] / gaussian[-1] < min(_HALF, ours[0] / gaussian[0])),
            f"the ratio is {ours[0] / gaussian[0]:.3g} at α = {alpha[0]:.3g} and {ours[-1] / gaussian[-1]:.3g} at "
            f"α = {alpha[-1]:.3g} (wanted: below {_HALF:g})",
        ),
    )  # fmt: skip
    return Shown(Drawing(strokes, "order α", "Rényi divergence (nats)", True, True), checks)
