"""Theory: noise and sample size compared with other works, and the utility theorems compared with simulation."""

import pandas as pd

from dpcore.exhibits.noise_augmentation.figure import size_figure, utility_figure
from dpcore.exhibits.noise_augmentation.settings import SETTINGS, example
from dpcore.exhibits.noise_augmentation.sizes import cms_curves, sample_size, second_terms, sigma_curves
from dpcore.exhibits.noise_augmentation.theory import risk_against_epsilon, risk_against_n
from pages.components import cache, say
from pages.components.cards import Metric, theme_mode
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import count, number, times
from pages.sources.noise_augmentation.state import AugmentationView
from pages.sources.noise_augmentation.view import View

_sentence = say.sentences(__file__)

_EPSILONS = (0.1, 0.2, 0.4, 1.0, 2.0, 4.0, 8.0)
_RECORDS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
_TARGETS = tuple(round(0.02 * 1.6**k, 4) for k in range(16))
_TRUTH = SETTINGS["linear"].theta  # true coefficients in the comparison for a ridge
_SQUARE = float(_TRUTH @ _TRUTH)
_DELTA = 1e-4  # δ of the curves of Gaussian noise if the chosen noise is spherical Laplace


class Sizes(View):
    """Four pictures: σ against ε, n against ϱ, the bound of CMS, the second term of Kifer et al."""

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        case, delta = state.case, state.delta or _DELTA
        # Theorem 10 needs true coefficients, which only simulated data have.
        known = case if state.simulated else cache.shared(example, "linear", 200)
        self.sigmas = cache.shared(sigma_curves, _EPSILONS, delta, case.lipschitz)
        here = cache.shared(sigma_curves, (state.epsilon,), delta, case.lipschitz)
        self.simple, self.corollary, self.least = (float(curve[0]) for curve in here.values())

        def size(target: float):
            asked = known, state.regularizer, state.epsilon, state.delta, target, state.constant
            return cache.shared(sample_size, *asked)

        self.size, self.grid = size(state.allowed), [size(target).records for target in _TARGETS]
        self.lam = 2 * state.strength / len(case.y)
        self.cms = cache.shared(cms_curves, _RECORDS, self.lam, state.epsilon, len(_TRUTH), _SQUARE, state.constant)
        self.second = state.cached(second_terms, case, state.strength, _EPSILONS)

    def headline(self) -> str:
        return f"The claim asks for {times(self.corollary / self.least)} the least noise"

    def metrics(self) -> list[Metric]:
        size, state = self.size, self.state
        records = count(size.records) if size.records < float("inf") else "none is enough"
        return [
            Metric("σ of Corollary 5", number(self.corollary), f"least possible {number(self.least)}"),
            Metric("Records, Theorem 10", records, f"for ϱ = {number(state.allowed)}"),
            Metric("Least ϱ it can promise", number(size.least), f"C′ = {number(state.constant)}"),
            Metric("Eq. (4) over Corollary 5", times(self.simple / self.corollary), "the same at small ε"),
        ]

    def charts(self) -> list[Chart]:
        epsilon, records = "claimed ε (nats)", {"Theorem 10": self.grid}
        drawn = {
            "Gaussian noise against ε: Corollary 5 and the least possible": (_EPSILONS, self.sigmas, epsilon, "σ", self.state.epsilon),
            "Records that Theorem 10 asks for, against the allowed excess": (
                _TARGETS, records, "allowed excess ϱ", "records n", self.state.allowed,
            ),
            "Bound for a ridge: Theorem 10 and CMS": (_RECORDS, self.cms, "records n", "bound on the excess", None),
            "Price of strong convexity: Kifer et al. and MOOR": (_EPSILONS, self.second, epsilon, "excess per record", None),
        }  # fmt: skip
        return [
            Chart(title, lambda of=of: size_figure(*of, theme_mode()), title, caption=title)
            for title, of in drawn.items()
        ]

    def notes(self) -> list[str]:
        kifer, moor = (float(terms[0]) for terms in self.second.values())
        return [
            _sentence("corollary_5", f"{100 * (1 - self.least / self.corollary):.0f} %"),
            _sentence("theorem_10_asks"),
            _sentence("cms", self.lam, len(_TRUTH), _SQUARE),
            _sentence("kifer_et_al", f"{100 * (1 - moor / max(kifer, 1e-300)):.0f} %"),
        ]

    def data_program(self) -> str:
        made = 'case = dp.exhibits.noise_augmentation.settings.example("linear", 200)'
        return super().data_program() if self.state.simulated else f"{super().data_program()}\n{made}"

    def data(self) -> pd.DataFrame:
        parts = (
            {"epsilon": _EPSILONS, **self.sigmas, **self.second},
            {"allowed excess": _TARGETS, "records": self.grid},
            {"n (ridge)": _RECORDS, **self.cms},
        )
        return pd.concat(map(pd.DataFrame, parts), ignore_index=True)


class Theory(View):
    """The view of the utility theorems, compared with simulation."""

    budgets, counts = (0.2, 0.5, 1.0, 2.0, 5.0), (200, 1000, 5000)  # ε and n at which the theorems are tested

    def __init__(self, state: AugmentationView) -> None:
        super().__init__(state)
        self.risk = state.cached(risk_against_epsilon, state.case, state.regularizer, state.delta, self.budgets, 10)
        self.by_n = cache.shared(risk_against_n, state.strength, state.epsilon, state.delta, self.counts)

    def metrics(self) -> list[Metric]:
        risk = self.risk
        measured, proven = (float(risk.curves[name][2]) for name in ("measured, mean", "proven, mean"))
        return [
            Metric("Excess at ε = 1, measured", number(measured), "mean of 10 draws"),
            Metric("Proven bound on the mean", number(proven), f"{times(proven / measured)} the measured"),
            Metric("Lemma 7 exceeded, t = 1", f"{100 * risk.broken:.0f} %", "of all draws", worse=True if risk.broken else None),
            Metric("Proven bound exceeded", f"{100 * risk.exceeded:.0f} %", "of all draws"),
        ]  # fmt: skip

    def charts(self) -> list[Chart]:
        drawn = (
            ("Excess of the objective", 3, self.budgets, self.risk.curves, "claimed ε (nats)"),
            ("Expected loss, linear model", 2, self.counts, self.by_n, "records n"),
        )
        return [
            Chart(title, lambda of=of: utility_figure(*of, theme_mode()), title, share=share, caption=title)
            for title, share, *of in drawn
        ]

    def notes(self) -> list[str]:
        return [
            md("**The proven bound needs the exact minimiser of the sum form**: (‖b‖²/(4Λ₀) + Λ₀‖θ̂‖²)/n, half of Lemma 7's first term."),
            _sentence("lemma_7_exceeded", 100 * self.risk.broken),
            _sentence("theorem_8_as_printed"),
            _sentence("theorem_10_constant"),
        ]  # fmt: skip

    def data(self) -> pd.DataFrame:
        by_epsilon = pd.DataFrame({"epsilon": self.budgets, **self.risk.curves})
        return pd.concat([by_epsilon, pd.DataFrame({"n (linear model)": self.counts, **self.by_n})], ignore_index=True)
