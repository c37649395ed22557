"""What the sources state by number, in our words; where the code is says the code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Place = str | tuple[str, Mapping[str, Any]]  # a page by its folder, and what its controls are set to

_CO, _PC, _LC = "understand/composition", "understand/privacy_curves", "understand/log_concave"
_OP, _OUT, _LL = "understand/objective_perturbation", "understand/output_perturbation", "understand/learning_limits"
_TR, _NA, _MAP = "your_data/private_training", "your_data/noise_augmentation", "your_data/privacy_map"
_PI, _PF = "your_data/per_instance", "your_data/paper_figures"
_EM = "understand/exponential_mechanism"
_PACKING, _SAMPLING, _DESCENT, _CONVEX = (
    (_LL, {"ll_view": view}) for view in ("packing", "sampling", "descent", "convexity")
)
_RENYI, _STOPPED, _VARIABLES, _SAMPLED, _BEYOND = (
    (_OP, {"op_view": view}) for view in ("renyi", "stopping", "variables", "sampled", "beyond")
)
_LINEARISED = (_OP, {"op_view": "renyi", "op_show": ["tight", "renyi", "linearised", "lower"]})
_OF_LECTURE = (_OP, {"op_show": ["tight", "hockey_stick", "kifer", "lecture", "lower"]})
_SOLVERS = (_TR, {"tr_view": "solvers"})
_ACCOUNTANTS, _RENYI_SUM = ((_CO, {"co_view": view}) for view in ("accountants", "renyi"))
_OF_FIGURE_4 = (
    _CO,
    {
        "co_rows": 1, "co_0_kind": "objective_published", "co_0_count": 1, "co_0_objective_published_sigma": 8.0,
        "co_0_objective_published_lam": 10.0, "co_0_objective_published_smoothness": 1.0, "co_view": "growth",
        "co_methods": ["pld", "renyi"],
    },
)  # fmt: skip
_ROWS, _REALISED, _PRIVATE, _THEORY, _SIZES = (
    (_NA, {"na_view": view}) for view in ("rows", "realised", "private", "theory", "sizes")
)
_MOOR = (_NA, {"na_view": "paths", "na_variant": "moor"})
_CUT = (_NA, {"na_view": "paths", "na_variant": "moor", "na_selection": "vs"})
_ODDS, _MOMENTS, _GAP = ((_MAP, {"pm_tab": tab}) for tab in ("As odds", "Moments", "Generalisation"))
_AVERAGE, _AGNOSTIC, _REMARK = (
    (_PF, {"pf_tab": "Proposition 16", "pf_statement": view})
    for view in ("Average exposure", "No assumptions", "A simpler bound")
)
_FOUR_STEPS, _EFFICIENCY, _TOWNSHIP = (
    (_PF, {"pf_tab": tab}) for tab in ("From pDP to DP", "Statistical efficiency", "Township")
)
_REALISED_LOSS = (_PI, {"pi_tab": "After a release"})
_STEP = "a step of a proof; nothing is computed with it"
_TOOL = "a textbook fact; the numerical libraries know it"
_NOTATION = "the notation of the source"


@dataclass(frozen=True)
class PrintedStatement:
    """A numbered statement.

    Parameters
    ----------
    source : key in `REFERENCES`
    label : as in the source
    says : what it states, in a few words
    page : where it is shown, named by its folder; "" where it is not
    state : what that page's controls are set to for it, by key
    why_not : why nothing implements it; "" where something does
    whole : label of the statement that it is a display of, whose code is its code too; "" where it stands by itself
    """

    source: str
    label: str
    says: str
    page: str = ""
    state: Mapping[str, Any] = field(default_factory=dict, hash=False)
    why_not: str = ""
    whole: str = ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """Numbers of the equations it stands for, as printed in parentheses."""
        ends = re.findall(r"\(([^)]*)\)", self.label) if self.label.startswith("Eq") else []
        if "–" not in self.label:
            return tuple(ends)
        prefix, first = re.fullmatch(r"(\D*)(\d+)", ends[0]).groups()  # type: ignore[union-attr]
        last = int(re.fullmatch(r"\D*(\d+)", ends[-1]).group(1))  # type: ignore[union-attr]
        return tuple(f"{prefix}{number}" for number in range(int(first), last + 1))


_OF_SOURCES: dict[str, tuple[tuple[Any, ...], ...]] = {  # label, what it says, place, why nothing implements it
    "lecture-10": (
        ("Agnostic bound", "excess risk of the exponential mechanism on a finite class", _LL),
        ("Realisable bound", "the faster rate where some hypothesis makes no error", _LL),
        ("Packing bound", "no private learner of thresholds on a continuum", _PACKING),
        ("Convexity", "convex, strongly convex, Lipschitz, smooth, first-order condition", _CONVEX),
        ("Sensitivity of output perturbation", "the minimiser moves by at most L/λ", _OUT),
        ("Utility of output perturbation", "excess loss from regularisation and noise", _OUT),
        ("Privacy of objective perturbation", "ε ≈ d log(1+β/λ) + L²/2σ² + …", _OF_LECTURE),
        ("Lemma 10.1", "density of a bijective image", _VARIABLES),
        ("Unregularised sensitivity", "without regularisation one record moves the minimiser beyond every bound", _OUT),
        ("Utility without smoothness", "the utility from ‖∇ℓ‖ ≤ L alone", _OUT),
        ("Output against objective perturbation", "minimise, then perturb; or perturb, then minimise", (_OUT, {"out_objective": True})),
    ),
    "lecture-12": (
        ("Definition 1", "(ε, δ)-differential privacy", _PC),
        ("Definition 2", "privacy curve", _PC),
        ("Definition 3", "trade-off function", _PC),
        ("Lemma 1", "a smaller curve is a larger trade-off", _PC),
        ("Theorem 1", "strongly log-concave pairs are dominated by a Gaussian", _LC),
        ("Theorem 2", "E f − min f ≤ d t of a linear function on a convex body", _SAMPLING),
        ("Lemma 2", "E f − min f ≤ d/k of a convex function", _SAMPLING),
        ("Theorem 3", "privacy and risk of the regularised exponential mechanism", _EM),
        ("Rates of section 2", "MDd/(nε) by sampling, MD√(d log 1/δ)/(nε) by noisy descent", _DESCENT),
        ("Eq. (1)", "the mean over the epigraph is larger by t", "", _STEP),
    ),
    "li-liu-napp": (
        ("Definition 1", "ε-differential privacy", _PC),
        ("Definition 2", "(ε, δ)-differential privacy", _PC),
        ("Assumption 1", "convex set, loss and regulariser, bounded derivatives", "", "an assumption; the learners check what they need"),
        ("Proposition 1", "appended rows realise a weighted square and the linear noise", _ROWS),
        ("Claim 2", "sums of weights give the existing framework", (_NA, {"na_view": "paths", "na_variant": "sum"})),
        ("Proposition 3", "strong convexity and target by one term", _REALISED),
        ("Algorithm 1", "NAPP-ERM", _MOOR),
        ("Theorem 4", "ε- and (ε, δ)-DP of Algorithm 1", _PRIVATE),
        ("Corollary 5", "least σ of Gaussian noise", _SIZES),
        ("Proposition 6", "budget that can be had back", (_NA, {"na_view": "private", "na_attacked": "retrieval"})),
        ("Algorithm 2", "retrieval of budget", _MOOR),
        ("Lemma 7", "empirical risk against ‖b‖", _THEORY),
        ("Theorem 8", "expected excess risk", _THEORY),
        ("Lemma 9", "from empirical to expected risk", _SIZES),
        ("Theorem 10", "sample complexity", _SIZES),
        ("Lemma 11", "determinant after a change of rank two", "", _STEP),
        ("Table 1", "rows that are appended, by model", _ROWS),
        ("Table 2", "their variance, by regulariser", _REALISED),
        ("Table 3", "losses and their minimisers", "", _NOTATION),
        ("Table 4", "simulated data", (_NA, {"na_view": "study"})),
        ("Section 4.1", "excess risk against that of Kifer et al. (their Theorem 26)", _SIZES),
        ("Section 4.2", "sample size against that of Chaudhuri, Monteleoni and Sarwate", _SIZES),
        ("Eq. (1)", "regularised empirical risk", "", _NOTATION),
        ("Eq. (4)", "laws of the noise", _SIZES),
        ("Eq. (8)", "selection of variables by noise on |θ|", _CUT),
        ("Eqs. (9), (10)", "noise cut at c", _CUT),
        ("Eqs. (25)–(33)", "density ratio and determinant in the proof of Theorem 4", "", _STEP),
        ("Eq. (34)", "risk in the proof of Lemma 7", "", _STEP),
        ("Eqs. (37)–(39)", "expected loss in the proof of Theorem 10", "", _STEP),
    ),
    "redberg-koskela-wang-2023": (
        ("Definition 2.1", "(ε, δ)-differential privacy", _PC),
        ("Definition 2.2", "hockey-stick divergence", _PC),
        ("Definition 2.3", "privacy profile", _PC),
        ("Lemma 2.4", "(ε, δ)-DP exactly where δ is at least the profile", _PC),
        ("Definition 2.5", "dominating pair", "verify/audit"),
        ("Definition 2.6", "Rényi divergence", _PC),
        ("Definition 2.7", "Rényi differential privacy", _PC),
        ("Theorem 2.8", "objective perturbation by Kifer, Smith and Thakurta", _OP),
        ("Theorem 3.1", "hockey-stick bound for GLMs", _OP),
        ("Theorem 3.2", "Rényi bound for GLMs", _RENYI),
        ("Remark 3.3", "both come of one privacy loss", _OP),
        ("Lemma 3.4", "the Gaussian mechanism is a lower bound", _OP),
        ("Remark 3.5", "noise and minimiser depend on each other", "", "a remark without a statement to compute"),
        ("Algorithm 1", "approximate minima perturbation with clipping", _TR),
        ("Theorem 4.1", "Rényi guarantee of Algorithm 1", _STOPPED),
        ("Remark 4.2", "the algorithm as a composition", _STOPPED),
        ("Theorem B.1", "Rényi curve of the Gaussian mechanism", _PC),
        ("Appendix C.1", "Rényi bound by linearisation", _LINEARISED),
        ("Theorem D.1", "dominating pairs compose", _ACCOUNTANTS),
        ("Theorem D.2", "δ as an expectation over the privacy loss", _CO),
        ("Lemma D.3", "objective perturbation's loss is at most ω", _OP),
        ("Lemma D.4", "a pair with half-normal loss", _OF_FIGURE_4),
        ("Remark D.5", "where the rest of the mass lies does not matter", _OF_FIGURE_4),
        ("Lemma D.6", "the pair shifted by the leading term", _OF_FIGURE_4),
        ("Lemma D.7", "composition by the sum of losses", _OF_FIGURE_4),
        ("Lemma D.8", "an expectation grows with the variance", "", _STEP),
        ("Theorem E.1", "Rényi bound for other losses than GLMs", _BEYOND),
        ("Theorem E.2", "the per-instance privacy loss", _REALISED_LOSS),
        ("Algorithm 2", "approximate minima perturbation", _STOPPED),
        ("Theorem F.1", "its Rényi guarantee", _STOPPED),
        ("Theorem F.2", "the loss whose gradient is clipped is convex", _TR),
        ("Theorem F.3", "and as smooth as before", _TR),
        ("Theorem G.1", "gradient evaluations of SAG", _SOLVERS),
        ("Theorem H.1", "excess risk of Algorithm 1", _TR),
        ("Appendix H.2", "excess risk for GLMs", _TR),
        ("Definition J.1", "Lipschitz continuity", _OP),
        ("Definition J.2", "smoothness", _OP),
        ("Definition J.3", "strong convexity", _CONVEX),
        ("Definition J.4", "privacy loss random variable", _CO),
        ("Lemma J.5", "Rényi divergences add", _RENYI_SUM),
        ("Lemma J.6", "change of coordinates", _VARIABLES),
        ("Lemma J.7", "change of variables for densities", _VARIABLES),
        ("Lemma J.8", "determinant of an inverse", "", _TOOL),
        ("Lemma J.9", "largest Rayleigh quotient", "", _TOOL),
        ("Lemma J.10", "inequalities of quadratic forms", "", _TOOL),
        ("Lemma J.11", "mean norm of a normal vector", "", _STEP),
        ("Lemma J.12", "moments of a normal variable", "", _TOOL),
        ("Definition J.13", "Hölder's inequality", "", _TOOL),
        ("Definition J.14", "Rényi divergence", _PC),
        ("Lemma J.15", "moment generating functions of equal laws", "", _STEP),
        ("Appendix E", "a step for GLMs that fails for other losses", _BEYOND),
        ("Appendix G", "gradient evaluations, output noise and risk where the solver stops", _SOLVERS),
        ("Appendix H.1", "rates of σ and λ", "", "a rate without its constant; a record of Errata shows a better one"),
        ("Appendix I.1", "Rényi curves of objective perturbation and DP-SGD", _RENYI_SUM),
        ("Appendix I.2", "a spectrum of algorithms: sampled records, DP-FTRL", _SAMPLED),
        ("Table 1", "accuracy on Synthetic-L at three budgets", (_TR, {"tr_data": "synthetic_l"})),
        ("Table 2", "accuracy on Adult at three budgets", (_TR, {"tr_data": "adult"})),
        ("Eq. (B.1)", "profile of the Gaussian mechanism", _PC),
        ("Eq. (D.12)", "integration by parts", "", _STEP),
    ),
    "wang-2019": (
        ("Definition 1", "differential privacy", _PC),
        ("Definition 2", "per-instance differential privacy", _PI),
        ("Definition 3", "per-instance sensitivity", _PI),
        ("Lemma 4", "pDP of Gaussian noise", _PI),
        ("Fact 5", "odds of identification", _ODDS),
        ("Fact 6", "composition and groups", _PI),
        ("Definition 7", "moments of pDP", _MOMENTS),
        ("Definition 8", "generalisation on average", _GAP),
        ("Proposition 9", "moments of pDP bound the generalisation gap", _GAP),
        ("Definition 10", "generalisation to another population", _GAP),
        ("Proposition 11", "and its bound", _GAP),
        ("Corollary 12", "a simpler bound", _GAP),
        ("Lemma 13", "how far one row moves a ridge regression", _PI),
        ("Theorem 14", "pDP of a posterior sample", _PI),
        ("Remark 15", "a simpler form of its bound", _REMARK),
        ("Proposition 16", "DP, pDP and efficiency of posterior sampling", _AVERAGE),
        ("Algorithm 1", "AdaOPS", _FOUR_STEPS),
        ("Proposition 17", "its privacy and error", _EFFICIENCY),
        ("Lemma 18", "privacy of AdaOPS given its eigenvalue", _FOUR_STEPS),
        ("Lemma 19", "a ridge regression under perturbation", _PI),
        ("Lemma 20", "Sherman, Morrison and Woodbury", _PI),
        ("Lemma 21", "determinant after a change of rank one", _PI),
        ("Lemma 22", "Weyl's bound on eigenvalues", "", _TOOL),
        ("Lemma 23", "tail of a normal variable", "", _TOOL),
        ("Lemma 24", "from a tail bound to (ε, δ)", "", "a looser step than the exact profile that is used"),
        ("Lemma 25", "matrix Hoeffding inequality", "", _STEP),
        ("Table 1", "variants of differential privacy", _MAP),
        ("Noise shapes", "isotropic, democratic and Fisher noise, section 4", _PI),
        ("Covariate shift", "targets of another law, section 4.1", "", "an asymptotic remark; the map of Proposition 11 has the bound"),
        ("Section 2.2", "a township and the richest person anywhere", _TOWNSHIP),
        ("Section 4.2", "from pDP to DP in four steps; subsample and aggregate", _FOUR_STEPS),
        ("Eq. (1)", "regularised empirical risk", "", _NOTATION),
        ("Eq. (5)", "objective perturbation of linear regression", _PI),
        ("Eqs. (11), (12)", "log ratio and inverse in the proof of Theorem 14", "", _STEP),
        ("Eq. (13)", "ridge estimate of the linear model", "", _STEP),
        ("Eqs. (16), (17)", "singular values in the proof of Lemma 18", "", _STEP),
    ),
}  # fmt: skip


_DISPLAYS: dict[str, tuple[tuple[Any, ...], ...]] = {  # label, what it says, statement it belongs to, place if another
    "lecture-10": (
        ("Eqs. (1)–(3)", "the mass that success elsewhere forces outside of the first bin", "Packing bound"),
        ("Eq. (10.1)", "the noise that leads to a minimiser", "Lemma 10.1"),
        ("Eq. (10.2)", "its Jacobian", "Lemma 10.1"),
    ),
    "lecture-12": (),
    "li-liu-napp": (
        ("Eq. (2)", "the existing framework", "Claim 2"),
        ("Eq. (3)", "the shift of the appended rows", "Proposition 1"),
        ("Eq. (5)", "antithetic rows", "Proposition 1"),
        ("Eqs. (6), (7)", "the fit to appended rows, and its limit", "Proposition 1"),
        ("Eq. (11)", "ratio of densities in two factors", "Theorem 4"),
        ("Eq. (12)", "least σ", "Corollary 5"),
        ("Eq. (13)", "budget that can be had back", "Proposition 6"),
        ("Eqs. (14), (15)", "noise and rows of the next round", "Algorithm 2"),
        ("Eq. (16)", "bound on the risk", "Lemma 7"),
        ("Eqs. (17)–(19)", "bounds on the expected risk", "Theorem 8"),
        ("Eq. (20)", "from empirical to expected risk", "Lemma 9"),
        ("Eqs. (21), (22)", "sample size and what it guarantees", "Theorem 10"),
        ("Eqs. (23), (24)", "what is to be proven", "Theorem 4"),
        ("Eqs. (35), (36)", "the bounds with probability 1 − π", "Theorem 8"),
    ),
    "redberg-koskela-wang-2023": (
        ("Eq. (3.1)", "the bound in both branches", "Theorem 3.1"),
        ("Eqs. (C.1)–(C.9)", "the minimiser to first order in b", "Appendix C.1"),
        ("Eq. (D.1)", "the profile as an expectation", "Theorem D.2"),
        ("Eq. (D.2)", "the loss that dominates", "Lemma D.3"),
        ("Eqs. (D.3)–(D.6)", "from the log ratio to its profile", "Theorem 3.1"),
        ("Eqs. (D.7)–(D.9)", "densities of the pair", "Lemma D.4"),
        ("Eq. (D.10)", "density with the leading term", "Lemma D.6"),
        ("Eq. (D.11)", "profile of a composition", "Lemma D.7"),
        ("Eqs. (G.1)–(G.3)", "gradient norm, distance and excess", "Theorem G.1"),
        ("Eq. (H.1)", "excess to second order", "Appendix H.2"),
    ),
    "wang-2019": (
        ("Eq. (2)", "Gaussian noise of covariance A⁻¹/γ", "Lemma 4"),
        ("Eq. (3)", "pDP of a smooth learner", "Lemma 13"),
        ("Eq. (4)", "per-instance sensitivity of linear regression", "Definition 3"),
        ("Eq. (6)", "one posterior sample", "Theorem 14"),
        ("Eqs. (7), (8)", "bounds in both parametrisations", "Theorem 14"),
        ("Eqs. (9), (10)", "pDP and DP without assumptions", "Proposition 16", _AGNOSTIC),
        ("Eqs. (14), (15)", "leverage and residual under AdaOPS", "Lemma 18"),
    ),
}  # fmt: skip


def _all() -> Iterator[PrintedStatement]:
    for source, rows in _OF_SOURCES.items():
        for label, says, *rest in rows:
            place, why_not = (*rest, "", "")[:2]
            yield _row(source, label, says, place, why_not)
        for label, says, whole, *place in _DISPLAYS[source]:
            parent = next(row for row in rows if row[0] == whole)
            yield replace(_row(source, label, says, (*place, parent[2])[0]), whole=whole)


def _row(source: str, label: str, says: str, place: Place, why_not: str = "") -> PrintedStatement:
    page, state = (place, {}) if isinstance(place, str) else place
    return PrintedStatement(source, label, says, page, state, why_not)


STATEMENTS = tuple(_all())
