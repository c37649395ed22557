"""Output perturbation: train a model, then add noise in proportion to how far one record can move the result."""

from dpcore.exhibits.output_perturbation.study import OUTPUT_PERTURBATION_CARD
from pages.components import examples
from pages.components.page import Page
from pages.understand.output_perturbation import views
from pages.understand.output_perturbation.state import State

PAGE = Page.of_views(
    views,
    title="Output perturbation",
    sentence="Train a model, then add noise as large as one record could have moved it. Too little regularisation needs much noise, "
    "too much bends the model: find the λ between, then see what is proven of it.",
    prefix="out",
    state=State,
    main="lam",
    on_data=True,
    confidential="Measured losses and changes are computed from these data without noise: they are confidential themselves, and a "
    "λ chosen by them is not private.",
    presets=examples.read(__file__),
    formulas=lambda shown: [OUTPUT_PERTURBATION_CARD],
    file="output_perturbation",
)
