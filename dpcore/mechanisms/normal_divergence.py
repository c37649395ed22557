"""Rényi divergence of two normal laws."""

import numpy as np


def normal_renyi_terms(alpha: np.ndarray, ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""D_α of N(m₁, 1) from N(m₂, s²), s² = ratio: the part without the means, and the factor of (m₁−m₂)².

    .. math:: D_α = \tfrac12\log s² + \frac{\log(s²/s_*²)}{2(α−1)} + \frac{α(m_1−m_2)²}{2s_*²}, \quad s_*² = αs² + 1 − α

    (at α = 1 the Kullback–Leibler divergence; inf where s*² ≤ 0).
    """
    with np.errstate(all="ignore"):
        mixed = alpha * ratio + (1 - alpha)
        plain = np.where(
            alpha == 1,
            0.5 * np.log(ratio) + 0.5 / ratio - 0.5,
            0.5 * np.log(ratio) + 0.5 * np.log(ratio / mixed) / (alpha - 1),
        )
        return np.where(mixed > 0, plain, np.inf), np.where(mixed > 0, 0.5 * alpha / mixed, np.inf)
