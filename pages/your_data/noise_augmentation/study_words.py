"""What the noise-augmentation page says about its simulations."""

from dpcore.exhibits.noise_augmentation import adult
from pages.components.say import md
from pages.your_data.noise_augmentation.state import AugmentationView


def study(state: AugmentationView, facts: dict[str, float]) -> list[str]:
    """What is to be known about the simulations: what the source leaves open, and what is ours."""
    if state.as_printed:
        return _as_printed(state)
    return [
        md(
            "**None of these private curves is private as claimed**, except where the claim coincides with the "
            "certified form: read them as "
            "what the source's algorithms do."
        ),
        md(
            "**Each method is shown at the point its iteration converges to** (nₑ → ∞, T → ∞), found directly: "
            "the same point, no trembling."
        ),
        md(
            "**Constants the source leaves open are ours**: ζ = 1, 2, 3 and targets within 2, 1, 20 (linear, logistic, Poisson); "
            "gradients are clipped to ζ."
        )
        if state.simulated
        else md(
            "**Choices the source leaves open are ours**: how columns are scaled, ζ and ζ₃ from the row norm R. Λ₀ = ζ₃/ε; on Adult the "
            "source takes 1/ε. Two thirds of the records train, the others test, in a new split for every repeat."
        ),
        md(
            "**Noise**: ‖b‖ has the Gamma(p) law its density demands; with the printed shape 1 it would be p times "
            "too small. The source says "
            "δ = 0.001 in one place and 0.0001 in another; 10⁻⁴ is preset."
        ),
    ]


def _as_printed(state: AugmentationView) -> list[str]:
    train, test = adult.source_split(state.case())
    same = "the same rows, it seems" if adult.same_split(state.case()) else "not the same rows, or another order"
    return [
        md(
            "**Split as printed**: {} and {} of the larger income in the two parts; in the source 7508 and 3700: {}.",
            train,
            test,
            same,
        ),
        md("**Λ₀ = 1/ε and T = 80 as printed**, in the limit nₑ → ∞; the curve without privacy is the exact lasso."),
        md(
            "**Stars are printed numbers**: 15.5 % (VS+) and 15.2 % (no privacy) at ε = 1. The source does not say for which Λ, "
            "so that every panel shows them."
        ),
        md(
            "**Ours**: how columns are scaled, and ζ from the row norm; the source prints neither. Repeats differ by b only."
        ),
    ]
