"""Sampling from strongly log-concave densities: exact steps, a certificate of convergence, and numerical truth."""

from dpcore.sampling.chains import Chains, effective_size, split_rhat
from dpcore.sampling.proximal import certified_steps, certified_total_variation, mala, proximal_sampler
from dpcore.sampling.target import Target
from dpcore.sampling.truth import LineDensity, PlaneDensity, line_density, plane_density

__all__ = [
    "Chains", "LineDensity", "PlaneDensity", "Target", "certified_steps", "certified_total_variation", "effective_size",
    "line_density", "mala", "plane_density", "proximal_sampler", "split_rhat",
]  # fmt: skip
