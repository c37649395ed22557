"""Sampling from strongly log-concave densities: exact steps and a certificate of convergence."""

from dpcore.sampling.chains import Chains, effective_size, split_rhat
from dpcore.sampling.proximal import certified_steps, certified_total_variation, mala, proximal_sampler
from dpcore.sampling.target import Target

__all__ = [
    "Chains", "Target", "certified_steps", "certified_total_variation", "effective_size", "mala", "proximal_sampler", "split_rhat",
]  # fmt: skip
