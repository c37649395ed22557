"""What the sources state by number, in our words; where the code is says the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_OP, _CO, _PC = "understand/objective_perturbation", "understand/composition", "understand/privacy_curves"
_OUT, _EM, _LC, _LL = (
    "understand/output_perturbation", "understand/exponential_mechanism", "understand/log_concave", "understand/learning_limits",
)  # fmt: skip
_PI, _MAP, _PF, _TR, _NA = (
    f"your_data/{name}"
    for name in ("per_instance", "privacy_map", "paper_figures", "private_training", "noise_augmentation")
)
_STEP = "a step of a proof; nothing is computed with it"
_TOOL = "a textbook fact; the numerical libraries know it"


@dataclass(frozen=True)
class PrintedStatement:
    """A numbered statement.

    Parameters
    ----------
    source : key in `REFERENCES`
    label : as in the source
    says : what it states, in a few words
    page : where it is shown, named by its folder; "" where it is not
    why_not : why nothing implements it; "" where something does
    """

    source: str
    label: str
    says: str
    page: str = ""
    why_not: str = ""


_OF_SOURCES: dict[str, tuple[tuple[str, ...], ...]] = {
    "lecture-10": (
        ("Agnostic bound", "excess risk of the exponential mechanism on a finite class", _LL),
        ("Realisable bound", "the faster rate where some hypothesis makes no error", _LL),
        ("Packing bound", "no private learner of thresholds on a continuum", _LL),
        ("Convexity", "convex, strongly convex, Lipschitz, smooth, first-order condition", _LL),
        ("Sensitivity of output perturbation", "the minimiser moves by at most L/λ", _OUT),
        ("Utility of output perturbation", "excess loss from regularisation and noise", _OUT),
        ("Privacy of objective perturbation", "ε ≈ d log(1+β/λ) + L²/2σ² + …", _OP),
        ("Lemma 10.1", "density of a bijective image", _OP),
    ),
    "lecture-12": (
        ("Definition 1", "(ε, δ)-differential privacy", _PC),
        ("Definition 2", "privacy curve", _PC),
        ("Definition 3", "trade-off function", _PC),
        ("Lemma 1", "a smaller curve is a larger trade-off", _PC),
        ("Theorem 1", "strongly log-concave pairs are dominated by a Gaussian", _LC),
        ("Theorem 2", "E f − min f ≤ d t of a linear function on a convex body", _EM),
        ("Lemma 2", "E f − min f ≤ d/k of a convex function", _EM),
        ("Theorem 3", "privacy and risk of the regularised exponential mechanism", _EM),
    ),
    "li-liu-napp": (
        ("Definition 1", "ε-differential privacy", _PC),
        ("Definition 2", "(ε, δ)-differential privacy", _PC),
        ("Assumption 1", "convex set, loss and regulariser, bounded derivatives", "", "an assumption; the learners check what they need"),
        ("Proposition 1", "appended rows realise a weighted square and the linear noise", _NA),
        ("Claim 2", "sums of weights give the existing framework", _NA),
        ("Proposition 3", "strong convexity and target by one term", _NA),
        ("Algorithm 1", "NAPP-ERM", _NA),
        ("Theorem 4", "ε- and (ε, δ)-DP of Algorithm 1", _NA),
        ("Corollary 5", "least σ of Gaussian noise", _NA),
        ("Proposition 6", "budget that can be had back", _NA),
        ("Algorithm 2", "retrieval of budget", _NA),
        ("Lemma 7", "empirical risk against ‖b‖", _NA),
        ("Theorem 8", "expected excess risk", _NA),
        ("Lemma 9", "from empirical to expected risk", _NA),
        ("Theorem 10", "sample complexity", _NA),
        ("Lemma 11", "determinant after a change of rank two", "", _STEP),
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
        ("Theorem 3.2", "Rényi bound for GLMs", _OP),
        ("Remark 3.3", "both come of one privacy loss", _OP),
        ("Lemma 3.4", "the Gaussian mechanism is a lower bound", _OP),
        ("Remark 3.5", "noise and minimiser depend on each other", "", "a remark without a statement to compute"),
        ("Algorithm 1", "approximate minima perturbation with clipping", _TR),
        ("Theorem 4.1", "Rényi guarantee of Algorithm 1", _TR),
        ("Remark 4.2", "the algorithm as a composition", _TR),
        ("Theorem B.1", "Rényi curve of the Gaussian mechanism", _PC),
        ("Appendix C.1", "Rényi bound by linearisation", _OP),
        ("Theorem D.1", "dominating pairs compose", _CO),
        ("Theorem D.2", "δ as an expectation over the privacy loss", _CO),
        ("Lemma D.3", "objective perturbation's loss is at most ω", _OP),
        ("Lemma D.4", "a pair with half-normal loss", _CO),
        ("Remark D.5", "where the rest of the mass lies does not matter", _CO),
        ("Lemma D.6", "the pair shifted by the leading term", _CO),
        ("Lemma D.7", "composition by the sum of losses", _CO),
        ("Lemma D.8", "an expectation grows with the variance", "", _STEP),
        ("Theorem E.1", "Rényi bound for other losses than GLMs", _OP),
        ("Theorem E.2", "the per-instance privacy loss", _PI),
        ("Algorithm 2", "approximate minima perturbation", _TR),
        ("Theorem F.1", "its Rényi guarantee", _TR),
        ("Theorem F.2", "the loss whose gradient is clipped is convex", _TR),
        ("Theorem F.3", "and as smooth as before", _TR),
        ("Theorem G.1", "gradient evaluations of SAG", _TR),
        ("Theorem H.1", "excess risk of Algorithm 1", _TR),
        ("Appendix H.2", "excess risk for GLMs", _TR),
        ("Definition J.1", "Lipschitz continuity", _OP),
        ("Definition J.2", "smoothness", _OP),
        ("Definition J.3", "strong convexity", _LL),
        ("Definition J.4", "privacy loss random variable", _CO),
        ("Lemma J.5", "Rényi divergences add", _CO),
        ("Lemma J.6", "change of coordinates", _OP),
        ("Lemma J.7", "change of variables for densities", _OP),
        ("Lemma J.8", "matrix determinant lemma", "", _TOOL),
        ("Lemma J.9", "largest Rayleigh quotient", "", _TOOL),
        ("Lemma J.10", "inequalities of quadratic forms", "", _TOOL),
        ("Lemma J.11", "mean norm of a normal vector", "", _STEP),
        ("Lemma J.12", "moments of a normal variable", "", _TOOL),
        ("Definition J.13", "Hölder's inequality", "", _TOOL),
        ("Definition J.14", "Rényi divergence", _PC),
        ("Lemma J.15", "moment generating functions of equal laws", "", _STEP),
    ),
    "wang-2019": (
        ("Definition 1", "differential privacy", _PC),
        ("Definition 2", "per-instance differential privacy", _PI),
        ("Definition 3", "per-instance sensitivity", _PI),
        ("Lemma 4", "pDP of Gaussian noise", _PI),
        ("Fact 5", "odds of identification", _MAP),
        ("Fact 6", "composition and groups", _PI),
        ("Definition 7", "moments of pDP", _MAP),
        ("Definition 8", "generalisation on average", _MAP),
        ("Proposition 9", "moments of pDP bound the generalisation gap", _MAP),
        ("Definition 10", "generalisation to another population", _MAP),
        ("Proposition 11", "and its bound", _MAP),
        ("Corollary 12", "a simpler bound", _MAP),
        ("Lemma 13", "how far one row moves a ridge regression", _PI),
        ("Theorem 14", "pDP of a posterior sample", _PI),
        ("Remark 15", "a simpler form of its bound", _PF),
        ("Proposition 16", "DP, pDP and efficiency of posterior sampling", _PF),
        ("Algorithm 1", "AdaOPS", _TR),
        ("Proposition 17", "its privacy and error", _PF),
        ("Lemma 18", "privacy of AdaOPS given its eigenvalue", _TR),
        ("Lemma 19", "a ridge regression under perturbation", _PI),
        ("Lemma 20", "Sherman, Morrison and Woodbury", _PI),
        ("Lemma 21", "determinant after a change of rank one", _PI),
        ("Lemma 22", "Weyl's bound on eigenvalues", "", _TOOL),
        ("Lemma 23", "tail of a normal variable", "", _TOOL),
        ("Lemma 24", "from a tail bound to (ε, δ)", "", "a looser step than the exact profile that is used"),
        ("Lemma 25", "matrix Hoeffding inequality", "", _STEP),
    ),
}  # fmt: skip


def _all() -> Iterator[PrintedStatement]:
    for source, rows in _OF_SOURCES.items():
        for row in rows:
            yield PrintedStatement(source, *row)


STATEMENTS = tuple(_all())
