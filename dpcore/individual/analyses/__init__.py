"""One module a mechanism: what its release says about each row; importing the folder registers them."""

from dpcore.individual.analyses import (  # noqa: F401
    glm_objective,
    glm_output,
    glm_posterior,
    objective_perturbation,
    output_perturbation,
    posterior_sampling,
)
