"""The studies of the output-perturbation page over λ, cached for this session."""

from dpcore.data import Dataset
from dpcore.errors import DPError
from dpcore.exhibits.output_perturbation import study as output_perturbation
from pages.components import cache, say

LAMBDA_RANGE = (0.01, 1000.0)  # of the slider; curves are computed at these:
LAMBDAS = (0.01, 0.022, 0.045, 0.1, 0.22, 0.45, 1.0, 2.2, 4.5, 10.0, 22.0, 45.0, 100.0, 220.0, 450.0, 1000.0)


def compute(
    dataset: Dataset, loss: str, epsilon: float, delta: float, rho: float
) -> output_perturbation.LambdaSweep | None:
    """The study, cached for this session; a sentence instead where it is undefined.

    Parameters
    ----------
    dataset, loss, epsilon, delta, rho : of `study`
    """
    try:
        return cache.in_session(study, dataset, loss, epsilon, delta, rho)
    except DPError as error:
        say.error(str(error), icon=":material/error:")
        say.info("Choose another loss, another target column, or give the data public bounds in the sidebar.")
        return None


def objective(dataset: Dataset, loss: str, epsilon: float, delta: float) -> output_perturbation.ObjectiveSweep:
    """Noise in the objective on the same data, cached for this session."""
    return cache.in_session(output_perturbation.objective_sweep, dataset, loss, epsilon, delta, _fits(dataset, loss))


def looked_at(
    found: output_perturbation.LambdaSweep, dataset: Dataset, loss: str, epsilon: float, rho: float, lam: float
) -> output_perturbation.LambdaSweep:
    """The study at the λ looked at, which may lie between those drawn.

    Parameters
    ----------
    found : at those drawn
    dataset, loss, epsilon, rho : as it was made with
    lam : looked at
    """
    if lam in LAMBDAS:
        return found
    return cache.in_session(_study_at, dataset, loss, epsilon, found.delta, rho, lam)


def _study_at(
    dataset: Dataset, loss: str, epsilon: float, delta: float, rho: float, lam: float
) -> output_perturbation.LambdaSweep:
    fits = cache.in_session(_fits_at, dataset, loss, lam)
    return output_perturbation.sweep_lambda(dataset, loss, epsilon, delta, rho, (lam,), fits=fits)


def _fits(dataset: Dataset, loss: str) -> output_perturbation.Fits:
    return cache.in_session(output_perturbation.fit_all, dataset, loss, LAMBDAS)


def _fits_at(dataset: Dataset, loss: str, lam: float) -> output_perturbation.Fits:
    return output_perturbation.fit_all(dataset, loss, (lam,), _fits(dataset, loss).comparator)


def study(dataset: Dataset, loss: str, epsilon: float, delta: float, rho: float) -> output_perturbation.LambdaSweep:
    """The sweep over the λs drawn.

    Parameters
    ----------
    dataset, loss : what is fitted
    epsilon, delta : target of the noise
    rho : probability with which bounds may fail
    """
    return output_perturbation.sweep_lambda(dataset, loss, epsilon, delta, rho, LAMBDAS, fits=_fits(dataset, loss))
