"""One module a mechanism: what its release says about each row; importing the folder registers them."""

from dpcore.individual.analyses import objective_perturbation, output_perturbation, posterior_sampling

__all__ = ["objective_perturbation", "output_perturbation", "posterior_sampling"]
