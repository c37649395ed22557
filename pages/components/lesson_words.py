"""The lessons in words: story, question, hints, what was learned, where to go on."""

from dataclasses import dataclass, field
from typing import Any

from dpcore.learning_limits import PACKING_CARD
from dpcore.mechanisms import ExponentialMechanism, Gaussian, Laplace, PosteriorSampling
from dpcore.output_study import CARD as OUTPUT_CARD
from dpcore.references import FormulaCard


@dataclass(frozen=True)
class Lesson:
    """One lesson. `slider` holds label, low, high, default and kind ("log", "linear" with a step, or "list")."""

    title: str
    story: tuple[str, ...]
    question: str
    slider: tuple[Any, ...]
    shows: str
    wanted: str
    right: str
    low: str
    high: str
    code: str
    card: FormulaCard
    page: str
    label: str
    query: dict[str, str] = field(default_factory=dict)


LESSONS: dict[str, Lesson] = {
    "epsilon": Lesson(
        "What is ε?",
        (
            "A hospital publishes one number about its patients, with random noise added. You want to know whether one person, "
            "Ada, was among them. Look at the number and guess.",
            "Allow yourself one false alarm in twenty. Blind guessing then finds Ada in 5 % of cases. The less the output tells "
            "you, the closer every attack stays to those 5 %. Differential privacy is a limit on *every* attack at once; ε is its size.",
        ),
        "How much noise keeps the best attacker at 10 % or less, without wasting any (9 % would be too much noise)?",
        ("Noise σ (1 = what one person can change)", 0.2, 20.0, 1.0, "log"),
        "Attacker finds Ada", "9 % to 10 %",
        "At this noise the best attack gains five points over blind guessing, whoever attacks and whatever else is known.",
        "Too little noise: the attacker still finds Ada too often.",
        "More noise than needed: accuracy is being wasted.",
        "import dpcore as dp\n1 - dp.Gaussian(sigma={value!r}).tradeoff(0.05)",
        Gaussian.card, "pages/understand/home.py", "See the same attack in full", {"home_sigma": "2.80"},
    ),
    "curves": Lesson(
        "A guarantee is a curve",
        (
            "For every ε there is a δ: except with probability about δ, seeing the output changes the odds of Ada's presence by a "
            "factor of at most e^ε. Allow a larger factor, and it is broken less often.",
            "So (ε, δ) is not the guarantee but one point of it. The curve beside is the whole guarantee of noise σ = 2.",
        ),
        "What is the smallest ε whose δ is at most one in a thousand?",
        ("ε (nats)", 0.0, 3.0, 0.3, 0.05),
        "δ at this ε", "at most 0.001",
        "The same mechanism is (ε, δ)-private at this point and at every other point of its curve.",
        "At this ε the odds move further than e^ε more often than once in a thousand.",
        "A smaller ε would do: the curve is already below one in a thousand further left.",
        "import dpcore as dp\ndp.Gaussian(sigma=2.0).delta({value!r}), dp.Gaussian(sigma=2.0).epsilon(1e-3)",
        Gaussian.card, "pages/understand/privacy_curves.py", "Compare curves of other mechanisms",
        {"pc_gaussian_sigma": "2.00"},
    ),
    "composition": Lesson(
        "Every answer costs",
        (
            "Each answer with noise σ = 10 reveals little. But noises average out: after many answers about the same people, an "
            "attacker sees clearly. Privacy is a budget that answers spend.",
            "Adding up the ε of every answer (dashed) is safe and wasteful. The exact curve grows more like √k.",
        ),
        "How many answers can you give before ε exceeds 1 at δ = 10⁻⁵?",
        ("Answers k", 1, 40, 2, 1),
        "ε spent", "at most 1, and as many answers as possible",
        "One answer more would overspend. Counted naively you would have stopped earlier.",
        "There is budget left for another answer.",
        "Overspent: ε is above 1.",
        "import dpcore as dp\ndp.Gaussian(sigma=10.0, sensitivity={value!r} ** 0.5).epsilon(1e-5)",
        Gaussian.card, "pages/understand/composition.py", "Build a pipeline of mechanisms",
    ),
    "regularise": Lesson(
        "Why regularise?",
        (
            "Train a regression on 442 patients and publish its coefficients. Removing one patient moves them, without any limit "
            "if training chases every point. A penalty (λ/2)‖θ‖² holds them: one patient moves them by at most L/λ.",
            "Noise must cover that move, so a larger λ needs less noise. But it also pulls the coefficients away from the best fit.",
        ),
        "Which λ loses least in total (within 5 %)?",
        ("Regularisation λ", "LAMBDAS", 1.0, "list"),
        "Extra loss", "the least of all",
        "Here the harm of the penalty and the harm of the noise balance.",
        "Noise dominates: one patient could move the result far, so much noise is needed.",
        "The penalty dominates: the model is barely trained any more.",
        'import dpcore as dp\nfrom dpcore.output_study import study\n'
        'study(dp.load_sample("diabetes"), "huber", 1.0, 1e-5, 0.05, ({value!r},)).spread',
        OUTPUT_CARD, "pages/understand/output_perturbation.py", "See bias, noise and bounds", {"out_lambda": "46.0"},
    ),
    "temperature": Lesson(
        "Draw the answer instead",
        (
            "Noise can also act on the *choice* of an answer. Score every possible median of 100 values by how far it is from the "
            "records, then draw one at random, good scores far more often. ε sets how much more often.",
            "With ε near 0 any value may come out; with a large ε only the best ones do. The score's excess over the best is the price.",
        ),
        "Find an ε whose expected excess is at most 0.02 (but not below 0.015: privacy is not for wasting).",
        ("ε (nats)", 0.1, 8.0, 0.2, "log"),
        "Expected excess", "0.015 to 0.02",
        "The draws crowd around the median tightly enough, and no more.",
        "The draws are scattered too widely: spend more ε.",
        "Sharper than asked for: the same accuracy is had with less ε.",
        "from dpcore import landscapes\n"
        "landscapes.line_landscape(100, 0.3, 0.3).excess(landscapes.pure_temperature({value!r}, 100), 0.0)",
        ExponentialMechanism.card, "pages/understand/exponential_mechanism.py", "Watch draws rain on the landscape",
        {"em_epsilon": "1.10"},
    ),
    "exposed": Lesson(
        "Who is exposed?",
        (
            "The worst case over all imaginable data sets is the same for everybody. For the data at hand some people are far more "
            "visible than others.",
            "Two things expose a row: unusual features (leverage) and an outcome that the others do not predict (residual). One alone "
            "does little; what counts is about the residual times the square root of the leverage.",
        ),
        "Which of these eight patients is most exposed when one posterior sample of the regression is published?",
        ("Patient", 1, 8, 1, 1),
        "ε of this patient", "the largest of the eight",
        "Its residual and leverage together move the regression most; neither alone decides.",
        "Another of the eight has a larger ε. Look for a large residual times the root of the leverage.",
        "Another of the eight has a larger ε. Look for a large residual times the root of the leverage.",
        'import dpcore as dp\ndata = dp.load_sample("diabetes")\n'
        "dp.individual_privacy(data, dp.PosteriorSampling(gamma=20.0, lam=1.0), delta=1e-6).epsilon",
        PosteriorSampling.card, "pages/your_data/per_instance.py", "Look at every row, or at your own data",
        {"pi_gamma": "20.0"},
    ),
    "limits": Lesson(
        "What cannot be learned",
        (
            "Somewhere on a line of 256 bins a label switches from − to +. With one exact record on either side anyone can find the bin. "
            "A private learner cannot: its answer must stay likely when records change.",
            "If it finds every one of the 256 bins, then on each data set some probability is left on all the others, and "
            "probabilities add up to 1. That gives a limit for every learner with ε = 0.5, however clever.",
        ),
        "From how many records on can success with probability 0.9 be possible at all?",
        ("Records n", 2, 30, 2, 2),
        "Best possible success", "0.9 with the fewest records",
        "With fewer records no ε-private learner whatsoever finds the bin reliably. With more bins, more records are needed, without end.",
        "Still impossible: the shares forced on the other bins and the success add up to more than 1.",
        "Already fewer records are not ruled out.",
        "from dpcore.learning_limits import Packing\nPacking(256, {value!r}, 0.5).limit",
        PACKING_CARD, "pages/understand/learning_limits.py", "Follow the whole argument",
        {"ll_view": "Packing", "ll_records": "8"},
    ),
    "audit": Lesson(
        "Trust, then attack",
        (
            "A program claims to be ε-private. Do not believe it: run it 20 000 times with Ada and 20 000 times without, attack every "
            "output, and count detections and false alarms.",
            "If the attack does better than the claim allows, by more than chance could explain, the claim is refuted. If not, it is "
            "merely not refuted: a better attack might come.",
        ),
        "What is the largest claimed ε (within 0.1) that this attack refutes, at 95 % confidence?",
        ("Claimed ε", 0.1, 2.0, 0.3, 0.05),
        "ε proven by the attack", "just above the claim",
        "A claim above the proven value survives this attack. The program's real ε is 1, so the attack found nearly all of it.",
        "This claim is refuted, but so are larger ones.",
        "This claim is not refuted: the attack proves a smaller ε.",
        "from dpcore import lessons\nlessons.audit_bound()",
        Laplace.card, "pages/verify/audit.py", "Attack mechanisms and learners",
    ),
}  # fmt: skip
