"""Bibliography, and the formula card that every mechanism carries and the app renders."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reference:
    """A published source."""

    key: str
    text: str
    url: str = ""


@dataclass(frozen=True)
class FormulaCard:
    """What a class computes, as a reader wants to see it.

    Parameters
    ----------
    title : as a heading
    latex : one display per line
    symbols : LaTeX symbol → its meaning in words
    assumptions : a few words each
    references : keys of `REFERENCES`
    code : dotted name of the implementation
    """

    title: str
    latex: tuple[str, ...]
    symbols: dict[str, str] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    code: str = ""


_ALL = (
    Reference(
        "dwork-roth-2014",
        "C. Dwork, A. Roth. The Algorithmic Foundations of Differential Privacy. 2014.",
        "https://doi.org/10.1561/0400000042",
    ),
    Reference(
        "balle-wang-2018",
        "B. Balle, Y.-X. Wang. Improving the Gaussian mechanism for differential privacy: analytical calibration "
        "and optimal denoising. ICML 2018.",
        "https://arxiv.org/abs/1805.06530",
    ),
    Reference(
        "geng-viswanath-2016",
        "Q. Geng, P. Viswanath. The optimal noise-adding mechanism in differential privacy. IEEE Transactions on "
        "Information Theory 62(2), 2016.",
        "https://arxiv.org/abs/1212.1186",
    ),
    Reference("mironov-2017", "I. Mironov. Rényi differential privacy. CSF 2017.", "https://arxiv.org/abs/1702.07476"),
    Reference(
        "mironov-2012",
        "I. Mironov. On significance of the least significant bits for differential privacy. CCS 2012.",
        "https://doi.org/10.1145/2382196.2382264",
    ),
    Reference(
        "jin-et-al-2022",
        "J. Jin, E. McMurtry, B. Rubinstein, O. Ohrimenko. Are we there yet? Timing and floating-point attacks on "
        "differential privacy systems. IEEE Symposium on Security and Privacy 2022.",
        "https://arxiv.org/abs/2112.05307",
    ),
    Reference(
        "dong-roth-su-2022",
        "J. Dong, A. Roth, W. Su. Gaussian differential privacy. JRSS-B 84, 2022.",
        "https://arxiv.org/abs/1905.02383",
    ),
    Reference(
        "dong-durfee-rogers-2020",
        "J. Dong, D. Durfee, R. Rogers. Optimal differential privacy composition for exponential mechanisms. "
        "ICML 2020.",
        "https://arxiv.org/abs/1909.13830",
    ),
    Reference(
        "balle-barthe-gaboardi-2018",
        "B. Balle, G. Barthe, M. Gaboardi. Privacy amplification by subsampling: tight analyses via couplings and "
        "divergences. NeurIPS 2018.",
        "https://arxiv.org/abs/1807.01647",
    ),
    Reference(
        "zhu-dong-wang-2022",
        "Y. Zhu, J. Dong, Y.-X. Wang. Optimal accounting of differential privacy via characteristic function. "
        "AISTATS 2022.",
        "https://arxiv.org/abs/2106.08567",
    ),
    Reference(
        "sason-verdu-2016",
        "I. Sason, S. Verdú. f-divergence inequalities. IEEE Trans. Inf. Theory 62, 2016.",
        "https://arxiv.org/abs/1508.00335",
    ),
    Reference(
        "kairouz-oh-viswanath-2017",
        "P. Kairouz, S. Oh, P. Viswanath. The composition theorem for differential privacy. IEEE Trans. Inf. Theory 63, 2017.",
        "https://arxiv.org/abs/1311.0776",
    ),
    Reference(
        "gopi-lee-wutschitz-2021",
        "S. Gopi, Y. T. Lee, L. Wutschitz. Numerical composition of differential privacy. NeurIPS 2021.",
        "https://arxiv.org/abs/2106.02848",
    ),
    Reference(
        "doroshenko-et-al-2022",
        "V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi. Connect the dots: tighter discrete approximations of "
        "privacy loss distributions. PoPETs 2022.",
        "https://arxiv.org/abs/2207.04380",
    ),
    Reference(
        "canonne-kamath-steinke-2020",
        "C. Canonne, G. Kamath, T. Steinke. The discrete Gaussian for differential privacy. NeurIPS 2020.",
        "https://arxiv.org/abs/2004.00010",
    ),
    Reference(
        "redberg-wang-2021",
        "R. Redberg, Y.-X. Wang. Privately publishable per-instance privacy. NeurIPS 2021.",
    ),
    Reference(
        "wang-2019",
        "Y.-X. Wang. Per-instance differential privacy. Journal of Privacy and Confidentiality 9(1), 2019.",
        "https://arxiv.org/abs/1707.07708",
    ),
    Reference(
        "redberg-koskela-wang-2023",
        "R. Redberg, A. Koskela, Y.-X. Wang. Improving the privacy and practicality of objective perturbation for "
        "differentially private linear learners. NeurIPS 2023.",
        "https://arxiv.org/abs/2401.00583",
    ),
    Reference(
        "kifer-smith-thakurta-2012",
        "D. Kifer, A. Smith, A. Thakurta. Private convex empirical risk minimization and high-dimensional "
        "regression. COLT 2012.",
    ),
    Reference(
        "li-liu-napp",
        "Y. Li, F. Liu. Noise-augmented privacy-preserving empirical risk minimization with dual-purpose regularizer "
        "and privacy budget retrieval and recycling.",
    ),
    Reference(
        "dwork-rothblum-vadhan-2010",
        "C. Dwork, G. Rothblum, S. Vadhan. Boosting and differential privacy. FOCS 2010.",
        "https://doi.org/10.1109/FOCS.2010.12",
    ),
    Reference(
        "papernot-steinke-2022",
        "N. Papernot, T. Steinke. Hyperparameter tuning with Rényi differential privacy. ICLR 2022.",
        "https://arxiv.org/abs/2110.03620",
    ),
    Reference(
        "gopi-lee-liu-2022",
        "S. Gopi, Y. T. Lee, D. Liu. Private convex optimization via exponential mechanism. COLT 2022.",
        "https://arxiv.org/abs/2203.00263",
    ),
    Reference(
        "mckenna-sheldon-2020",
        "R. McKenna, D. Sheldon. Permute-and-flip: a new mechanism for differentially private selection. NeurIPS 2020.",
        "https://arxiv.org/abs/2010.12603",
    ),
    Reference(
        "chen-chewi-salim-wibisono-2022",
        "Y. Chen, S. Chewi, A. Salim, A. Wibisono. Improved analysis for a proximal algorithm for sampling. COLT 2022.",
        "https://arxiv.org/abs/2202.06386",
    ),
    Reference(
        "vehtari-et-al-2021",
        "A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner. Rank-normalization, folding, and localization: "
        "an improved R̂ for assessing convergence of MCMC. Bayesian Analysis 16, 2021.",
        "https://arxiv.org/abs/1903.08008",
    ),
    Reference(
        "clopper-pearson-1934",
        "C. Clopper, E. Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial. "
        "Biometrika 26, 1934.",
        "https://doi.org/10.1093/biomet/26.4.404",
    ),
    Reference("lecture-10", "CS291A, lecture 10: differentially private machine learning."),
    Reference("lecture-12", "CSC 574, lecture 12: revisiting differential privacy for convex optimisation."),
)

REFERENCES: dict[str, Reference] = {reference.key: reference for reference in _ALL}
