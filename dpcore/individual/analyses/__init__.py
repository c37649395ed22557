"""One module for each mechanism, which says how exposed each row is; importing the folder registers them all."""

from dpcore.individual.analyses import (  # noqa: F401
    glm_objective,
    glm_output,
    glm_posterior,
    objective_perturbation,
    output_perturbation,
    posterior_sampling,
)
