"""Metrics, charts and words of the output-perturbation page."""

import pandas as pd
import streamlit as st

from dpcore.data import SAMPLES, Dataset, load_sample
from dpcore.data.program import loading
from dpcore.exhibits.output_perturbation import figure as figures
from dpcore.profiles import curves
from pages.components import cache, cards, say
from pages.components.charts import Chart
from pages.components.words import number, programs, times
from pages.understand.output_perturbation.state import LAMBDAS, State

_sentence, _program = say.sentences(__file__), programs(__file__)

# Most cells (rows × columns) of a data set whose charts follow ε without a rerun; with more, a sweep for each ε takes
# too long. Doubled, the frames may take about twice as long to be ready.
LIVE_CELLS = 20_000

# A λ whose excess is less than the first multiple of the smallest is called about as good; from the second on the multiple
# stands in the figure. Doubled, λs that lose twice as much are, and fewer multiples are said.
_AS_GOOD, _APART = 1.1, 1.5


def headline(shown: State) -> str:
    """The excess at the chosen λ and at the best λ."""
    lost, lowest, least = _losses(shown)
    if shown.lam == lowest or lost <= least:
        return f"λ = {number(shown.lam)} is best here: its excess loss is {number(lost)}"
    if lost < _AS_GOOD * least:
        return f"λ = {number(shown.lam)} is about as good as the best, {number(lowest)}"
    side = "small" if shown.lam < lowest else "large"
    return f"λ = {number(shown.lam)} is too {side}: {times(lost / least)} the excess loss of λ = {number(lowest)}"


def _losses(shown: State) -> tuple[float, float, float]:
    """The excess at the chosen λ, the best λ, and the excess there."""
    found, here = shown.found, shown.here
    best, at = found.best, here.nearest(shown.lam)
    return float(here.bias[at] + here.spread[at]), float(found.lam[best]), float(found.bias[best] + found.spread[best])


def metrics(shown: State) -> list[cards.Metric]:
    """Cards for the noise (exact and classical), for δ of the classical noise, for the excess, and for the best λ."""
    found, here = shown.found, shown.here
    at = here.nearest(shown.lam)
    return [
        cards.Metric("Noise per coefficient", number(float(here.noise[at])),
                     f"classical {times(float(here.classical[at] / here.noise[at]))}",
                     help="Analytic Gaussian mechanism at sensitivity L/λ; below it what the classical formula asks for."),
        cards.Metric("δ of classical noise", number(found.classical_delta),
                     "meets the target" if found.classical_meets else f"misses δ = {number(shown.delta)}",
                     worse=None if found.classical_meets else True,
                     help=f"At ε = {number(shown.epsilon)}. The classical formula is proven for ε ≤ 1 only."),
        cards.Metric(f"Excess loss at λ = {number(shown.lam)}", number(float(here.bias[at] + here.spread[at])),
                     f"bound {number(float(here.mean_bound[at]))}"),
        cards.Metric("Best λ, measured", number(float(found.lam[found.best])),
                     f"by the bound {number(float(found.lam[found.best_by_bound]))}"),
    ]  # fmt: skip


def charts(shown: State) -> list[Chart]:
    """What is lost against λ; with the bounds also the distances in θ."""
    mode, (lost, lowest, least) = cards.theme_mode(), _losses(shown)
    marked = [
        (lowest, least, f"best: λ = {number(lowest)}"),
        (shown.lam, lost, f"{times(lost / least)} the best" if lost >= _APART * least else ""),
    ]
    of_loss = Chart(
        "Bias and variance",
        lambda: figures.lambda_figure(_risks(shown), shown.lam, "excess of the mean loss", mode, marked=marked),
        "What regularisation costs, what noise costs, and their sum, against lambda",
        caption=_sentence("train_then_add_noise"),
    )
    if not shown.bounds:
        return [of_loss]
    distances = Chart(
        "Sensitivity and noise",
        lambda: figures.lambda_figure(shown.found.change_curves(), shown.lam, "distance in θ", mode),
        "Sensitivity, measured change and noise against lambda",
    )
    return [of_loss, distances]


def _risks(shown: State) -> list[curves.Curve]:
    bounds = shown.found.bound_curves() if shown.bounds else []
    return [*shown.found.tradeoff(), *bounds, *([shown.other.curve()] if shown.other else [])]


def data(shown: State) -> pd.DataFrame:
    """The data behind the charts."""
    parts = {"excess of the mean loss": _risks(shown)}
    parts |= {"distance in theta": shown.found.change_curves()} if shown.bounds else {}
    tables = [curves.table(part, "lambda", "value").assign(curve=name) for name, part in parts.items()]
    return pd.concat(tables, ignore_index=True)


def follows(shown: State) -> list[str]:
    """Sliders that charts follow: λ, and ε if the data are small and no ε needs new minimisers."""
    quick = shown.dataset.n_samples * shown.dataset.n_features <= LIVE_CELLS
    return ["lam", "epsilon"] if quick and not shown.both else ["lam"]


def _comparison(shown: State) -> str:
    """A sentence that compares noise in the output with noise in the objective, each at its best λ."""
    found, other = shown.found, shown.other
    if other.best is None:
        return _sentence("no_lambda")
    costs = other.excess[other.best], found.bias[found.best] + found.spread[found.best]
    return _sentence("noise_objective_instead", other.lam[other.best], *costs, found.lam[found.best])


def notes(shown: State) -> list[str]:
    """Sentences computed from the study at the λs of the curves and at the chosen λ."""
    found, here = shown.found, shown.here
    at, total = here.nearest(shown.lam), found.bias + found.spread
    kept = _sentence("proof_ended") if shown.epsilon > 1 else "and does not keep the promise."
    if found.classical_meets:
        kept = _sentence("overpays", found.classical_delta)
    return [
        _sentence("two_errors_pull_against", shown.lam, here.bias[at], here.spread[at], total.min()),
        _sentence("classical_noise", here.classical[at] / here.noise[at], kept),
        *([_comparison(shown)] if shown.other else []),
        *(_of_bounds(shown) if shown.bounds else []),
    ]


def _of_bounds(shown: State) -> list[str]:
    """Sentences that compare the bounds of the proofs with measured values."""
    found, here = shown.found, shown.here
    at = here.nearest(shown.lam)
    first, last = float(found.measured_change[0]), float(found.measured_change[-1])
    share = float((found.measured_change / found.sensitivity).max())
    most, least, moved = (float(value) for value in (*found.sensitivity[[0, -1]], found.adversary.change[0]))
    return [
        _sentence("without_regularisation_nothing_bounds", least, most, found.adversary.n, moved, 100 * moved / most),
        _sentence("data_on_screen_gentler", last, first, 100 * share),
        _sentence("lecture_prints_square"),
        _sentence("bounds_keep_their_order", here.quantile[at], here.sharper[at], here.bound[at]),
        _sentence("smoothness_pays_only_where", here.lipschitz_bound[at], here.sharper[at]),
    ]


def program(shown: State) -> str:
    """The lines of dpcore that make these numbers."""
    return _program("sweep", shown=shown, dataset=_loading(shown.dataset), lambdas=tuple(sorted({*LAMBDAS, shown.lam})))


def _loading(dataset: Dataset) -> str:
    source = st.session_state.get("source")
    if source in SAMPLES and repr(cache.in_session(load_sample, source)) == repr(dataset):
        return f"dp.load_sample({source!r})"
    return loading(dataset)
