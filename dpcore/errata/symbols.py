"""What the symbols of the corrected formulas stand for, source by source."""

from __future__ import annotations

import re

from dpcore.errata.record import Erratum

_TOKENS = re.compile(r"\\(?:text|mathrm)\{[^{}]*\}|\\math(?:bb|cal) ?\{?[A-Z]\}?|\\[A-Za-z]+|\S")
_SET = {  # how a formula is set, and operations that need no words
    "frac", "tfrac", "sqrt", "left", "right", "big", "Big", "quad", "hat", "tilde", "log", "le", "ge", "max", "min", "sup", "to", "sim",
    "asymp", "propto", "top", "sum", "int", "nabla", "cdot", "dots", "leftarrow", "Rightarrow", "iff", "in", "mathbb R", "ne", "mathbb{E}",
    "cap",
}  # fmt: skip

_SOURCES: dict[str, dict[str, str]] = {
    "wang-2019": {
        r"\epsilon": "privacy loss", r"\delta": "mass beyond ε, weighted", r"\gamma": "inverse temperature of the posterior sample",
        r"\lambda_{\min}": "smallest eigenvalue of XᵀX", r"\tilde\lambda_{\min}": "its noisy release",
        r"\lambda_n": "regularisation that is added", r"\lambda": "regularisation", r"\mu'": "in-sample leverage of the record",
        r"\mu": "leverage of the record", "r'": "in-sample residual", "r": "residual of the record", "H": "Hessian of the objective",
        "X": "records, one a row", "y": "targets", r"\hat\theta'": "minimiser with the record",
        r"\hat\theta": "minimiser without the record", r"\theta_0": "true coefficients", r"\theta": "coefficients",
        r"\kappa": "bound on n/(d λ_min)", "d": "number of coefficients", "n": "number of records", "I": "identity matrix",
        r"\sigma": "noise of the targets",
    },
    "redberg-koskela-wang-2023": {
        "L": "Lipschitz constant of one record's loss", r"\sigma": "noise on the objective", r"\beta": "smoothness of one record's loss",
        r"\lambda": "regularisation", r"\alpha": "Rényi order", r"\tilde\epsilon": "ε at which the Gaussian curve is read",
        r"\epsilon(\theta)": "privacy loss of the outcome θ", r"\epsilon": "privacy loss", r"\delta": "mass beyond ε, weighted",
        r"N(L/\sigma,1)": "normal law with mean L/σ", "N(0,1)": "standard normal law", r"\theta": "released coefficients",
        "d": "number of coefficients", "X": "records, one a row", "I": "identity matrix", r"\mathcal L": "loss of all records",
        "D_\\alpha": "Rényi divergence of order α",
    },
    "lecture-10": {
        "L": "Lipschitz constant of one record's loss", r"\lambda": "regularisation", r"\beta": "smoothness of one record's loss",
        r"\sigma": "noise on the objective", r"\epsilon": "privacy loss", r"\delta": "mass beyond ε, weighted", "n": "number of records",
        "k": "number of bins", "i": "number of a bin", r"\ell'": "slope of the record's loss", "b": "noise drawn",
        r"\tilde\theta": "minimiser with one record more", r"\theta^P": "release", r"\theta^*_\lambda": "regularised minimiser",
        r"\theta": "minimiser", "P(I_i)": "probability of the middle of bin i", "g": "error that is allowed",
    },
    "lecture-12": {
        r"E_{\hat K}": "mean of the last coordinate over K̂", "E_K": "mean of f over K", r"\hat K": "set above the graph of f",
        "x_{n+1}": "last coordinate", "f": "convex function", "t": "temperature", "d": "dimension", "P": "law of the output",
        "Q": "law of the output on the other data", r"\tilde F": "potential on the other data", "F": "potential",
        r"\mu": "weight of the quadratic term", "B": "norm of the minimiser", "x^*": "minimiser", "k": "inverse temperature",
        r"\delta'": "privacy curve of the other pair",
        r"\delta": "privacy curve", r"\epsilon": "privacy loss", "T'": "trade-off of the other pair", "T": "trade-off function",
    },
    "li-liu-napp": {
        r"\Delta_\epsilon": "budget returned", r"\Lambda_0^{\mathrm{old}}": "floor before the round",
        r"\Lambda_0": "floor of the regularisation, which the privacy proof needs", r"\Lambda": "weight of the regulariser",
        r"\epsilon": "privacy loss", r"\ell'_i(0)": "slope of the loss of row i at 0", r"\ell''": "curvature of the loss at 0",
        "n_e": "number of appended rows", "V_{(1)}": "smallest variance of an appended row", r"\|b\|": "norm of the noise",
        "V(b_j)": "variance of one coordinate of the noise", "V": "variance of an appended row", "b": "noise drawn",
        "p": "number of coefficients", r"r\epsilon": "part of ε spent on the noise", r"\zeta": "bound on a record's gradient",
        "e^*_i": "appended row i", "e^*": "appended row", "e_y": "its target", "m": "weight of θ² that the rows are to add",
        r"\hat\theta^*": "private estimate", r"\hat\theta": "estimate without noise", r"\theta": "coefficient",
        "R^{(t)}": "regulariser of iteration t", "R": "target regulariser", "k": "strong convexity", "n": "number of records",
        r"\pi": "failure probability", r"\delta": "mass beyond ε, weighted", "B": "budget left",
    },
}  # fmt: skip

_SPECIAL: dict[str, dict[str, str]] = {
    "napp-claims": {"c": "part of ε spent on the noise, rε"},
    "napp-claims-vs-plus": {"c": "part of ε spent on the noise, rε"},
    "napp-claims-retrieval": {"c": "part of ε spent on the noise, rε"},
    "pdp-lemma19": {"E_1": "any matrix", "E_2": "any vector"},
    "pdp-lemma20": {"A": "invertible matrix", "U": "matrix", "C": "invertible matrix", "V": "matrix"},
    "pdp-eq5": {"z": "noise on the objective", r"\sigma": "its standard deviation", "N": "normal law"},
    "pdp-eq6": {"P(\\theta|X,y)": "density of the draw"},
    "pdp-missing-y": {"x": "the record", "y": "its target"},
    "pdp-lemma24": {
        "P_p": "probability under p", "P_{p'}": "probability under p'", r"\epsilon(\theta)": "log p/p'", "t": "bound on it",
    },
    "pdp-lemma24-union": {"P": "probability", "S": "event", "E": "event that the loss exceeds t", "E^c": "its complement"},
    "pdp-are": {r"\alpha": "exponent", r"\gamma_n": "inverse temperature"},
    "napp-thm8-order": {"O": "order"},
    "napp-thm10": {"C": "constant of the sample size", "\\zeta": "bound on a record's gradient"},
    "objpert-e2": {
        "R": "ratio of densities", r"\mu_j": "relative change of curvature j", r"\prod_j": "product over them", r"\dots": "the other terms",
    },
    "objpert-d6": {"f": "density of N(0, L²/σ²)", r"\hat\epsilon": "ε − log term − L²/(2σ²)", "x": "privacy loss above the shift"},
    "objpert-32-log": {
        "X": "normal variable with mean 0 and variance L²/σ²", r"\dots": "the other terms", r"\epsilon(\alpha)": "Rényi curve",
    },
    "objpert-sag": {"f": "objective", "f^*": "its minimum", "L": "its smoothness", r"\lambda": "its strong convexity"},
    "napp-bern": {"x": "predictor", "y": "response"},
    "napp-ey0": {"c": "any number but 0"},
    "napp-antithetic": {
        r"\tilde e_i": "appended row i", "e_{y,i+n_e/2}": "label of its antithetic row", "e_{y,i}": "label of row i",
        "N(0,4m)": "normal law of variance 4m", r"\sum_i": "sum over the appended rows",
    },
    "napp-hinge": {
        r"\ell''(0^-)": "curvature of the hinge left of 0", r"\ell''(0^+)": "curvature right of 0", r"\ell": "smoothed hinge",
        r"\tilde e_i": "appended row i", r"\sum_i": "sum over the appended rows",
    },
    "napp-zeta": {
        r"\nabla\ell": "gradient of one row's loss in θ", r"\zeta_2": "its bound", r"\Gamma": "change of the gradient that one row causes",
    },
    "napp-lemma17": {"X": "gamma variable", "a": "shape", "b": "scale"},
    "napp-thm8": {"N": "bound on the norm of the noise"},
    "napp-gaussian-norm": {r"\sigma": "standard deviation of each coordinate"},
    "pdp-lemma4": {r"\Delta_A": "change of the estimate that the record causes, in the norm of A"},
    "pdp-eq3": {
        "g": "gradient of the record at the fit", "A": "shape of the noise, its inverse covariance up to γ",
        "H": "Hessian without the record", "q": "square of the change of the estimate",
    },
    "pdp-lemma13": {
        "z": "the record", "H": "Hessian along the way between the fits", r"\ell": "loss of the record",
        r"\hat\theta'": "minimiser with the record", r"\hat\theta": "minimiser without it",
    },
    "pdp-thm14-tail": {"P": "probability", "u": "posterior sample of the record's prediction around its mean"},
    "pdp-prop11": {
        r"\epsilon''": "per-instance privacy loss of the second record", r"\epsilon'": "per-instance privacy loss of the first record",
        r"\delta''": "δ of the second", r"\delta'": "δ of the first",
    },
    "pdp-cor12": {
        r"\mathrm{Gen}": "generalisation gap", r"\mathbb{E}_{\mathcal D'}": "mean over the target population",
        r"\mathbb{E}_{\mathcal D}": "mean over the training population",
    },
    "pdp-prop16-opt": {"F": "objective", r"F(\hat\theta)": "its minimum"},
    "pdp-fact5": {"P_{[Z,z]}(S)": "probability of the event with the record", "P_Z(S)": "its probability without the record"},
    "pdp-fact6": {
        "P_k": "law with all k rows", "P_0": "law without them", "S": "event", r"\epsilon_1": "ε of the first row",
        r"\epsilon_{i+1}": "ε of the row after row i", r"\epsilon_k": "ε of the last row", r"\delta_i": "δ of row i", "i": "row",
    },
    "pdp-mu-swapped": {"x": "the record", "[X,x]": "records with it"},
    "adaops-noise": {"Z": "standard normal draw"},
    "adaops-confidence": {"s": "standard deviation of the noise of step 2"},
    "adaops-min": {r"\mathrm{off}": "offset that covers the noise"},
    "pdp-fig1-caption": {r"\hat\theta": "ridge estimate with λ = 1"},
    "adaops-efficiency": {r"\gamma_n": "inverse temperature that is used"},
    "adaops-efficiency-min": {r"\gamma_n": "inverse temperature that is used"},
    "objpert-31-threshold": {r"H_{e^{L^2/(2\sigma^2)}}": "hockey-stick divergence at ε = L²/(2σ²)"},
    "objpert-32-alpha1": {"X": "normal variable with mean 0 and variance L²/σ²", r"\pi": "3.14159…"},
    "objpert-rem3.3": {r"M(Z)": "law of the release on the other data set"},
    "objpert-lemmaD6": {"Q": "density of the privacy loss on the other data set", "t": "its argument"},
    "objpert-u2": {"u": "position"},
    "objpert-plus": {"N": "normal variable with mean 0 and variance L²/σ²"},
    "objpert-34-all": {
        r"N(0,\sigma^2)": "normal law", r"N(L,\sigma^2)": "normal law with mean L", r"H_\alpha": "hockey-stick divergence at e^ε = α",
        "Z'": "data set with one record more or less", "Z": "data set", r"\simeq": "are neighbours",
    },
    "objpert-g-noise": {
        "N": "normal law", r"\gamma": "gradient norm at the stop", r"\rho": "zCDP of the output noise", r"\theta_T": "last iterate",
        r"\hat\theta": "release",
    },
    "objpert-g-risk": {
        "G": "Lipschitz constant of one record's loss", r"\gamma": "gradient norm at the stop", r"\rho": "zCDP of the output noise",
        "n": "number of records",
    },
    "objpert-j15": {"t": "exponent", "x": "normal variable", "y": "another one", "z": "a third"},
    "objpert-c1-scale": {"q": "Hölder exponent", "z": "standard normal variable"},
    "objpert-fC": {
        "f_C": "clipped loss", "f(u_H)": "loss at the clipping point", "u_H": "clipping point", "C": "clipping bound", "u": "margin",
    },
    "objpert-h2": {"f''": "curvature of a record's loss", "c": "lower bound on the curvature"},
    "objpert-h1-rate": {r"O(\sqrt d)": "order of the excess"},
}  # fmt: skip


def explained(record: Erratum) -> tuple[dict[str, str], list[str]]:
    """Symbols of the corrected formula in words, in its order, and those that have none."""
    words = _SOURCES[record.source] | _SPECIAL.get(record.key, {})
    left = _TOKENS.findall(record.corrected_latex)
    places: dict[str, int] = {}
    for symbol in sorted(words, key=len, reverse=True):
        wanted = _TOKENS.findall(symbol)
        for at in range(len(left) - len(wanted) + 1):
            if left[at : at + len(wanted)] == wanted:
                places.setdefault(symbol, at)
                left[at : at + len(wanted)] = [""] * len(wanted)
    shown = {symbol: words[symbol] for symbol in sorted(places, key=places.__getitem__)}
    return shown, [token for token, after in zip(left, [*left[1:], ""], strict=True) if _nameless(token, after)]


def _nameless(token: str, after: str) -> bool:
    if token.startswith(("\\text{", "\\mathrm{")) or (token == "e" and after == "^"):  # words, the exponential
        return False
    return token.isalpha() or (
        token[:1] == "\\" and token[1:].isascii() and token[1:2].isalpha() and token[1:] not in _SET
    )
