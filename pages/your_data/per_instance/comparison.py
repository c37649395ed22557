"""Tabs of the per-instance page: mechanisms side by side, the floor of a posterior sample."""

from dpcore.errors import or_reason
from dpcore.exhibits.per_instance import story_figure as figures
from dpcore.exhibits.per_instance.floor import floor_curve
from dpcore.individual.rows.groups import whole
from dpcore.mechanisms import RELEASES
from pages.components import cards, export, glm_release, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance import groups, views

LARGEST = 50_000  # rows up to which all three are computed without being asked for


def side_by_side(view: views.ExposureView) -> None:
    """The same data under all three mechanisms, at the same penalty and comparable noise."""
    base = view.result.mechanism
    sigma, lam = base.level, base.lam
    domain = None if base.is_linear else view.dataset.domain
    model = {"loss": base.loss, "clip": base.clip, "domain": domain}
    mechanisms = [entry.at(sigma, lam, **model) for entry in RELEASES.values()]
    if view.dataset.n_samples > LARGEST and not say.button("Compute all three", key="pi_compare"):
        return
    compared, worst = [], []
    for mechanism in mechanisms:
        other = views.compute(view.dataset, mechanism, view.delta)
        compared.append(whole(other.result, glm_release.name(mechanism)))
        worst.append(other.worst_case[0])
    export.chart(
        figures.boxes(compared, f"mechanism at λ = {number(lam)}, σ = 1/√γ = {number(sigma)}", cards.theme_mode(), worst=worst),
        key="pi_mechanisms", alt="Quantiles of epsilon by mechanism",
    )  # fmt: skip
    near = "" if base.is_linear else ", near the fit"
    unbounded = " The plain squared loss has no worst case under objective perturbation, since the gradient of a record is unbounded."
    say.markdown(
        "The noise has covariance H⁻¹/γ for the posterior sample, σ²I for output perturbation and σ²H⁻² for objective "
        f"perturbation{near}: equal σ does not mean equal accuracy." + (unbounded if base.is_linear else "")
    )
    groups.table(compared, "mechanism")


def floor(view: views.ExposureView, index: int) -> None:
    """ε of a row against γ, with what remains as γ → 0."""
    gamma = view.result.mechanism.inverse_temperature
    if gamma is None:
        say.info("The floor belongs to the posterior sample: choose it in the sidebar.")
        return
    if view.result.is_expansion:
        bounded, _ = or_reason(lambda: view.result.worst_case_epsilon)
        say.info(
            "A loss whose gradient is bounded by L has no floor: ε is at most that of a Gaussian of shift L√(γ/λ), which "
            "falls to 0 with γ."
            if bounded is not None
            else "The floor is known for linear regression, and is 0 where the gradient of a record is bounded: clip it."
        )
        return
    curve = view.of_all(floor_curve, index)
    label = view.dataset.row_name(index)
    export.chart(
        figures.floor(curve, cards.theme_mode(), row=label, now=gamma), key="pi_floor",
        alt="Epsilon against gamma with its floor",
    )  # fmt: skip
    say.markdown(
        md(
            "**Turning γ down does not take ε to 0.** However hot the posterior, {} keeps ε = {} and the "
            "median row {} at this δ: the *width* of the posterior, H⁻¹/γ, is narrower by the factor "
            "1/(1 + μ) along x with the row than without it, and scaling by γ cancels in that ratio. A larger λ, more data, or a "
            "larger δ lowers the floor; objective perturbation has one too, output perturbation has none.",
            label,
            *map(number, (curve.row_floor, curve.median_floor)),
        )
    )
