"""Statements of the source about noise augmentation, each tested by computation."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpcore.audit.napp import Scenario, after_iterations, attack, sweep
from dpcore.exhibits.noise_augmentation.pictures import realised_picture
from dpcore.exhibits.noise_augmentation.simulation import Summary
from dpcore.learners.napp.noise import printed_floor
from dpcore.learners.napp.weights import Regularizer, Weighting

_LITTLE = 0.1  # a mean difference of rates up to this one counts as "little"
_CELLS = 1e-3  # a δ computed by cells is accurate to this number
_SAME = 0.02  # a smaller fall of the retrieved share counts as none
_NEAR = 0.05  # two errors that differ by at most this share of the lasso's error count as close
_LEVEL = 0.05  # a smaller last change of the retrieved share counts as a plateau
_STRENGTHS = tuple(float(x) for x in np.geomspace(0.05, 20.0, 25))


@dataclass(frozen=True)
class Statement:
    """One statement and its verdict.

    Parameters
    ----------
    where : place in the source
    text : the statement, in short
    holds : whether it holds here; None if the difference is within two standard errors of the simulation
    evidence : the numbers that decide
    refutes : whether a failure shows the statement to be wrong at any settings
    """

    where: str
    text: str
    holds: bool | None
    evidence: str
    refutes: bool = False


def theory_claims(epsilon: float = 1.0, strength: float = 2.0) -> list[Statement]:
    """Statements that need no simulation, at one ε and Λ of the lasso (ζ₃ = 1).

    References: li-liu-napp (Proposition 3).
    """
    floor, lasso = printed_floor(epsilon, 1.0), Regularizer("lasso", strength)
    small = np.array([min(0.1, strength / (4 * floor))])
    bare, corrected = Weighting(lasso, 0.0, "sum", True), Weighting(lasso, 0.0, "sum")
    moor, summed = Weighting(lasso, floor, "moor"), Weighting(lasso, floor, "sum")
    ratio, right = (float(w.realised(1.0) / lasso.value(1.0)) for w in (bare, corrected))
    near = [abs(float(w.realised(small)[0] - lasso.value(small)[0])) for w in (moor, summed)]
    least, fixed = float(moor.curvature(small)[0]), 2 * float(moor.after(small)[0])
    picture = realised_picture(lasso, floor)
    gap = float(np.abs(picture.empirical_modulus / moor.modulus(picture.crosses) - 1).max())
    alone = Scenario(epsilon, strength, target=2.0)
    worst = {v: float(sweep(alone, v, _STRENGTHS).max()) for v in ("certified", "moor", "vs_plus", "retrieval")}
    during = {t: after_iterations(Scenario(epsilon, 4.0, target=2.0), t) for t in (1, 5, 20)}
    proven = attack(alone, "certified")
    return [
        Statement("Table 2, Prop. 1", "The printed weights achieve the target regularisation upon convergence", abs(ratio - 1) < 1e-9,
              f"the lasso they reach has {ratio:.3g} Λ; with the corrected weights {right:.3g} Λ"),
        Statement("Fig. 1", "Near 0 NAPP is closer to its target than existing DP-ERM", near[0] < near[1],
              f"at θ = {small[0]:.2g} the deviations are {near[0]:.3g} and {near[1]:.3g} (corrected weights)"),
        Statement("Fig. 1", "The empirical modulus at 10⁴ rows lies on its line", gap < 0.1, f"largest relative deviation {gap:.3g}"),
        Statement("Prop. 3", "In each iteration the regulariser has modulus 2Λ₀ at least", bool(fixed >= 2 * floor - 1e-12),
              f"with the weights of an iteration that ended at θ = {small[0]:.2g} it is {fixed:.3g}, 2Λ₀ = {2 * floor:.3g}"),
        Statement("Prop. 3, at convergence", "The regulariser that is reached has modulus 2Λ₀ too", least >= 2 * floor,
              f"at θ = {small[0]:.2g} it bends by {least:.3g}, not by 2Λ₀ = {2 * floor:.3g}"),
        Statement("Thm 4", f"MOOR satisfies {epsilon:g}-DP", worst["moor"] <= 1e-6, f"δ at ε reaches {worst['moor']:.3g} with one record"),
        Statement("Thm 4", "The guarantee holds in each iteration", max(during.values()) <= _CELLS,
              "δ at ε of MOOR at Λ = 4: " + ", ".join(f"{value:.3f} after {t}" for t, value in during.items())),
        Statement("Thm 4", f"VS+ satisfies {epsilon:g}-DP", worst["vs_plus"] <= 1e-6,
              f"δ at ε reaches {worst['vs_plus']:.3g}: the support of θ moves with the record"),
        Statement("Prop. 6", "The retrieved budget can be returned", worst["retrieval"] <= 1e-6,
              f"at the reduced ε, δ reaches {worst['retrieval']:.3g}, in the sum form too"),
        Statement("Thm 4", "The sum form, solved exactly, satisfies ε-DP", worst["certified"] <= 1e-6,
              f"largest log ratio {proven.largest_ratio:.4g}, proven {alone.certified.pure_epsilon:.4g}"),
    ]  # fmt: skip


def area_under(summary: Summary, method: str, epsilon: float) -> float:
    """Area under a selection curve through (0, 0) and (1, 1)."""
    wrong, right = summary.of(method, "false positives", epsilon), summary.of(method, "true positives", epsilon)
    known = ~np.isnan(wrong)
    order = np.lexsort((right[known], wrong[known]))
    x, y = np.r_[0.0, wrong[known][order], 1.0], np.r_[0.0, right[known][order], 1.0]
    return float(np.trapezoid(np.maximum.accumulate(y), x))


def simulation_claims(summary: Summary) -> list[Statement]:
    """Statements of section 5, from the finished part of a study.

    Statements about selection need the true coefficients. Those about Fig. 6 are tested only on a loaded file, where
    the coefficients are not known.

    References: li-liu-napp (sections 5.1 to 5.3).
    """
    top, low = max(summary.epsilons), min(summary.epsilons)
    known = not np.isnan(summary.of("VS+", "true positives", top)).all()
    first = _of_known_coefficients(summary, low, top) if known else _loaded(summary, top)
    return first + _prediction(summary, top) + _retrieval(summary, low, top)


def _rates(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in found.items())


def _below(gaps: Iterable[tuple[float, float]]) -> bool | None:
    """Whether all mean differences are negative by more than two standard errors; None if one is not decided."""
    states = [False if mean > 2 * error else (mean < -2 * error) or None for mean, error in gaps]
    return False if False in states else all(states) or None


def _said(gaps: dict[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {_signed(mean)} ± {2 * error:.2g}" for name, (mean, error) in gaps.items())


def _changes(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {_signed(value)}" for name, value in found.items())


def _signed(value: float) -> str:
    return f"{value:+.3g}".replace("-", "−")


_OURS = ("NAPP", "VS", "VS+")
_PAIRS = (("NAPP", "DP-ERM"), ("VS", "VS, sum"), ("VS+", "VS+, sum"))


def _of_known_coefficients(summary: Summary, low: float, top: float) -> list[Statement]:
    """Figs. 3 and 4, and selection in Fig. 8."""
    strengths = np.array(summary.strengths)
    apart = [
        [summary.of(f"{form}, b = 0", "distance to lasso", e) for e in summary.epsilons] for form in ("MOOR", "sum")
    ]
    closer = float(np.mean(np.less_equal(apart[0], np.array(apart[1]) + 1e-9)))
    recycled = {name: f"{name}, recycled" for name in _OURS}
    area = {name: area_under(summary, name, top) for name in ("VS+", "VS", "NAPP", "DP-ERM", *recycled.values())}
    gain = {name: area[again] - area[name] for name, again in recycled.items()}
    ordered = area["VS+"] > area["VS"] > max(area["NAPP"], area["DP-ERM"])
    behind = max(area["VS+"] - area[recycled[name]] for name in ("NAPP", "VS"))
    wrong = {name: summary.of(name, "false positives", low) for name in ("VS", "NAPP", "DP-ERM", "VS+")}
    selects = np.nan_to_num(summary.of("lasso", "true positives", low)) > 0
    reach = max(strengths[selects], default=min(strengths))
    early = {name: float(np.nanmin(values[strengths <= reach])) for name, values in wrong.items()}
    late = {name: float(np.nanmin(values)) for name, values in wrong.items()}
    differ = max(
        float(np.nanmean(np.abs(summary.of(a, score, top) - summary.of(b, score, top))))
        for a, b in _PAIRS
        for score in ("false positives", "true positives")
    )

    def areas(*names: str) -> str:
        return _rates({name: area[name] for name in names})

    return [
        Statement("Fig. 3", "Without noise, MOOR is closer to the lasso than the sum at every Λ and Λ₀", closer == 1.0,
              f"closer in {100 * closer:.0f} % of the settings"),
        Statement("Fig. 4, 1", "VS+ selects better than VS, and VS better than NAPP and DP-ERM, at large n and ε", ordered,
              f"areas under the curves at ε = {top:g}: {areas('VS+', 'VS', 'NAPP', 'DP-ERM')}"),
        Statement("Fig. 4, 2", "At small n or ε only VS+ reaches a false positive rate of 0",
              early["VS+"] == 0 and min(early["VS"], early["NAPP"], early["DP-ERM"]) > 0,
              f"lowest rates at ε = {low:g}, for Λ ≤ {reach:.3g} at which the lasso still selects: " + _rates(early)),
        Statement("Fig. 4, 2, any Λ", "The others keep a coefficient however large Λ is",
              min(late[name] for name in late if name != "VS+") > 0,
              f"lowest rates at ε = {low:g} up to Λ = {max(strengths):.3g}: {_rates(late)}; all coefficients are 0 once Λ "
              "exceeds every entry of the gradient at 0, noise included", refutes=True),
        Statement("Fig. 4, 3", "MOOR makes little difference to selection", differ <= _LITTLE,
              f"largest mean difference of a rate at ε = {top:g}: {differ:.3f}"),
        Statement("Fig. 8 (selection)", "Recycling improves selection by NAPP and VS more than by VS+",
              min(gain["NAPP"], gain["VS"]) > gain["VS+"], f"change of the area under the curve at ε = {top:g}: {_changes(gain)}"),
        Statement("Fig. 8 (selection)", "With it NAPP and VS select about as well as VS+ without", behind <= _LITTLE,
              f"areas at ε = {top:g}: {areas('NAPP, recycled', 'VS, recycled', 'VS+')}"),
    ]  # fmt: skip


def _prediction(summary: Summary, top: float) -> list[Statement]:
    score = "prediction error"
    moor = {a: summary.difference(a, b, score, top) for a, b in _PAIRS}
    grows = {name: summary.change(name, score, top) for name in _OURS}
    least = {f"VS − {other}": summary.difference("VS", other, score, top) for other in ("NAPP", "VS+")}
    return [
        Statement("Fig. 5, 1", "MOOR predicts better than the sum", _below(moor.values()),
              "mean error over Λ, MOOR − sum: " + _said(moor)),
        Statement("Fig. 5, 2", "The error grows with Λ", _below((-mean, error) for mean, error in grows.values()),
              "largest minus smallest Λ: " + _said(grows)),
        Statement("Fig. 5, 3", "VS has the smallest error", _below(least.values()), "mean error over Λ: " + _said(least)),
    ]  # fmt: skip


def _loaded(summary: Summary, top: float) -> list[Statement]:
    """Fig. 6 on any file; the source uses Adult."""
    score, last = "prediction error", max(summary.strengths)
    first = {f"VS+ − {other}": _everywhere(summary, "VS+", other) for other in ("VS", "NAPP", "DP-ERM")}
    second = {f"VS − {other}": _everywhere(summary, "VS", other) for other in ("NAPP", "DP-ERM")}
    least = {name: float(np.nanmin(summary.of(name, score, top))) for name in ("VS+", "lasso")}
    gaps = {
        f"{a}, Λ = {strength:g}": summary.difference(a, b, score, top, at)
        for a, b in _PAIRS
        for at, strength in enumerate(summary.strengths)
        if (a, strength) != ("VS+", last)
    }
    widest = max(gaps, key=lambda name: abs(gaps[name][0]))
    strong = {"MOOR − sum": summary.difference("VS+", "VS+, sum", score, top, len(summary.strengths) - 1)}
    return [
        Statement("Fig. 6, 1", "VS+ has the smallest error in general", _below(first.values()),
              "mean over ε and Λ: " + _said(first)),
        Statement("Fig. 6, 2", "VS follows", _below(second.values()), "mean over ε and Λ: " + _said(second)),
        Statement("Fig. 6, 3", f"At ε = {top:g} VS+ comes very close to the error without privacy",
              least["VS+"] <= least["lasso"] * (1 + _NEAR),
              f"least errors {least['VS+']:.4g} and {least['lasso']:.4g} (in the source 15.5 % and 15.2 %)"),
        Statement("Fig. 6, 4", "MOOR makes no obvious difference, but for VS+ at the largest Λ",
              abs(gaps[widest][0]) <= _NEAR * least["lasso"], f"widest at ε = {top:g}: " + _said({widest: gaps[widest]})),
        Statement("Fig. 6, 5", f"MOOR lowers the error of VS+ at Λ = {last:g}", _below(strong.values()),
              f"at ε = {top:g}: " + _said(strong)),
    ]  # fmt: skip


def _everywhere(summary: Summary, first: str, second: str) -> tuple[float, float]:
    """Mean difference of the error over ε and Λ, and its standard error.

    All ε use the same data, so errors do not cancel, and the standard errors are averaged.
    """
    each = np.array([summary.difference(first, second, "prediction error", epsilon) for epsilon in summary.epsilons])
    return float(each[:, 0].mean()), float(each[:, 1].mean())


def _retrieval(summary: Summary, low: float, top: float) -> list[Statement]:
    got = {name: summary.of(name, "retrieved", top) for pair in _PAIRS for name in pair}
    rising = all(np.all(np.diff(values) > -_SAME) for values in got.values())
    flat = max(float(values[-1] - values[max(-2, -len(values))]) for values in got.values())
    along = {
        name: [float(np.nanmean(summary.of(name, "retrieved", e))) for e in sorted(summary.epsilons)]
        for name in ("VS", "NAPP", "VS+")
    }
    rise = {name: means[-1] - means[0] for name, means in along.items()}
    last = max((means[-1] - means[-2] for means in along.values() if len(means) > 2), key=abs, default=np.nan)
    level = bool(abs(last) < _LEVEL) if len(summary.epsilons) > 2 else None
    more = {f"{a} − {b}": summary.difference(a, b, "retrieved", top) for a, b in _PAIRS}
    most = {f"{other} − VS+": summary.difference(other, "VS+", "retrieved", top) for other in ("VS", "NAPP")}
    gain = {name: summary.difference(f"{name}, recycled", name, "prediction error", top) for name in _OURS}
    lower = _below(gain.values()) if min(gain, key=lambda name: gain[name][0]) == "VS+" else False
    return [
        Statement("Fig. 7, 1", "The retrievable share grows with Λ to a plateau", bool(rising and abs(flat) < _LEVEL),
              f"last step {flat:.3f}, share at the largest Λ " + ", ".join(f"{n} {v[-1]:.2f}" for n, v in got.items())),
        Statement("Fig. 7, 2", "It grows with ε, for VS and NAPP more than for VS+", min(rise["VS"], rise["NAPP"]) > max(rise["VS+"], 0.0),
              f"change of the mean over Λ from ε = {low:g} to {top:g}: {_changes(rise)}"),
        Statement("Fig. 7, 2, plateau", "It becomes stable as ε grows", level, f"last change of the mean over Λ by {_signed(last)}"
              if level is not None else f"{len(summary.epsilons)} values of ε cannot tell"),
        Statement("Fig. 7, 3", "The sum retrieves more than MOOR", _below(more.values()), _said(more)),
        Statement("Fig. 7, 4", "VS+ retrieves more than VS and NAPP", _below(most.values()), _said(most)),
        Statement("Fig. 8", "Recycling the budget lowers the prediction error, most for VS+", lower,
              "change of the mean error: " + _said(gain)),
    ]  # fmt: skip
