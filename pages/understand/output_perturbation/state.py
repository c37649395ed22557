"""The choices on the output-perturbation page, and its studies over λ, which are cached for the session."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpcore.data import Dataset
from dpcore.exhibits.output_perturbation import study
from pages.components import cache, losses, say, state
from pages.components.say import md

LAMBDA_RANGE = (0.01, 1000.0)  # the ends of the slider of λ; the next line holds the λs at which curves are computed
LAMBDAS = (0.01, 0.022, 0.045, 0.1, 0.22, 0.45, 1.0, 2.2, 4.5, 10.0, 22.0, 45.0, 100.0, 220.0, 450.0, 1000.0)


def _loss(asked: Any, key: str) -> str:
    """Ask for one of the losses that suit the target. Another kind of target has a choice of its own (another key)."""
    usable = study.usable_losses(asked.dataset)
    return say.selectbox("Loss", usable, format_func=losses.title, key=f"{key}_{usable[0]}")


@dataclass(frozen=True)
class State:
    """The data set, the budget, and the λ to look at."""

    dataset: Dataset
    epsilon: float = state.log("Privacy budget ε", 0.05, 20.0, 1.0)
    delta: float = state.delta()
    lam: float = state.log(md("Look at λ ="), *LAMBDA_RANGE, 10.0, key="lambda")
    loss: str = state.control("", _loss)
    both: bool = state.toggle(
        "Objective perturbation too", key="objective",
        help="Noise in the objective, on the same data at the same budget and λ, calibrated by the tight profile.",
    )  # fmt: skip
    bounds: bool = state.toggle(
        "Bounds and sensitivity too",
        help="What is proven of the loss beside what is measured, and the noise beside how far one record moves the model.",
    )
    rho: float = state.log("Bounds may fail with probability ρ", 0.01, 0.5, 0.05, when=lambda asked: asked.bounds)

    @cached_property
    def found(self) -> study.LambdaSweep:
        """The study at the λs of the curves."""
        return self._at(LAMBDAS)

    @cached_property
    def here(self) -> study.LambdaSweep:
        """The study at the chosen λ, which may lie between those of the curves."""
        return self.found if self.lam in LAMBDAS else self._at((self.lam,))

    def _at(self, lambdas: tuple[float, ...]) -> study.LambdaSweep:
        return cache.in_session(_sweep, self.dataset, self.loss, self.epsilon, self.delta, self.rho, lambdas)

    @cached_property
    def other(self) -> study.ObjectiveSweep | None:
        """The study of noise in the objective, if it is asked for; else None."""
        return cache.in_session(_objective, self.dataset, self.loss, self.epsilon, self.delta) if self.both else None


def _fits(dataset: Dataset, loss: str, lambdas: tuple[float, ...]) -> study.Fits:
    """The fits at some λs; those beside the curves are compared with the same θ* as the curves."""
    theta = None if lambdas == LAMBDAS else cache.in_session(_fits, dataset, loss, LAMBDAS).comparator
    return study.fit_all(dataset, loss, lambdas, theta)


def _sweep(
    dataset: Dataset, loss: str, epsilon: float, delta: float, rho: float, lambdas: tuple[float, ...]
) -> study.LambdaSweep:
    fits = cache.in_session(_fits, dataset, loss, lambdas)
    return study.sweep_lambda(dataset, loss, epsilon, delta, rho, lambdas, fits=fits)


def _objective(dataset: Dataset, loss: str, epsilon: float, delta: float) -> study.ObjectiveSweep:
    return study.objective_sweep(dataset, loss, epsilon, delta, cache.in_session(_fits, dataset, loss, LAMBDAS))
