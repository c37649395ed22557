"""The lessons in words: story, question, hints, what was learned, where to go on."""

from dataclasses import dataclass, field
from typing import Any

from dpcore.exhibits.learning_limits import PACKING_CARD
from dpcore.exhibits.output_perturbation.study import OUTPUT_PERTURBATION_CARD
from dpcore.mechanisms import ExponentialMechanism, Gaussian, Laplace, PosteriorSampling
from dpcore.references import FormulaCard
from pages.components.say import md


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    `story` is what a guess needs, `more` what is said with the answer, `notice` what there is to see beyond it; `slider` holds label,
    low, high, default and kind ("log", "linear" with a step, or "list"); `beside` names the second number.
    """

    title: str
    story: str
    more: str
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
    beside: str = ""
    notice: str = ""


LESSONS: dict[str, Lesson] = {
    "epsilon": Lesson(
        "What is ε?",
        md("A hospital publishes a number with random noise of size σ. An attacker must say whether Ada is among its patients, and "
           "may accuse wrongly once in twenty: blind guessing then finds her in 5 % of cases."),
        md("Differential privacy limits *every* attack at once: the number may change the odds of Ada's presence by at most the factor "
           "$e^ε$, with e = 2.718… (but for a remainder δ: lesson 2). A small ε hides her, a large one does not."),
        "How much noise holds the best attacker at 9 to 10 %?",
        ("Noise σ (1 = what one person can change)", 0.2, 20.0, 1.0, "log"),
        "Attacker finds Ada", "9 % to 10 %",
        md("The best attack now gains at most five points over blind guessing, whoever attacks. The same noise has an ε: it is "
           "the number that a guarantee names, and more noise makes it smaller."),
        "Too little noise: the attacker still finds Ada too often.",
        "More noise than needed: accuracy is being wasted.",
        "import dpcore as dp\n1 - dp.Gaussian(sigma={value!r}).tradeoff(0.05)",
        Gaussian.card, "understand/home", "See the same attack in full", {"home_sigma": "2.80"},
        beside="ε of this noise, at δ = 10⁻⁵",
        notice=md("**Halve what the attacker gains, and the noise doubles**: beyond 5 % the gain is nearly in proportion to "
                  "1/σ, so the last points are the dear ones."),
    ),
    "curves": Lesson(
        "A guarantee is a curve",
        md("An output multiplies the odds of Ada's presence by some factor. With normal noise any factor may be exceeded: δ weighs what "
           "lies beyond $e^ε$. Every ε has its own δ, here for σ = 2."),
        md("An output whose factor is $e^ω$ counts $1 − e^{ε−ω}$ times its chance: little if it is just beyond $e^ε$, fully if it "
           "gives her away. So δ is not the chance that the factor is exceeded, which is larger; and (ε, δ) is not the guarantee but "
           "one point of it."),
        "What is the smallest ε whose δ is at most one in a thousand?",
        ("ε (nats)", 0.0, 3.0, 0.3, 0.05),
        "δ at this ε", "at most 0.001",
        "The same mechanism is (ε, δ)-private at this point and at every other point of its curve.",
        md("Beyond $e^ε$ there is still more than one in a thousand."),
        "A smaller ε would do: the curve is already below one in a thousand further left.",
        "import dpcore as dp\ndp.Gaussian(sigma=2.0).delta({value!r}), dp.Gaussian(sigma=2.0).epsilon(1e-3)",
        Gaussian.card, "understand/privacy_curves", "Compare curves of other mechanisms",
        {"pc_gaussian_sigma": "2.00"}, beside=md("Chance that $e^ε$ is exceeded"),
        notice=md("**Points of one curve are not choices to be made.** A curator who publishes (0.3, 0.1) and one who "
                  "publishes (1, 0.007) may well have added the same noise."),
    ),
    "composition": Lesson(
        "Every answer costs",
        "One answer with noise σ = 10 (ten times what one person can change) reveals little. But noises average out: after many "
        "answers an attacker sees clearly. Every answer spends some of a budget ε.",
        "Adding up the ε of all k answers (dashed) is safe and wasteful: noises rarely all betray Ada at once. The exact cost of k "
        "answers together (solid) grows more like √k. Here δ (lesson 2) is fixed at 10⁻⁵.",
        "How many answers can you give before their ε exceeds 1?",
        ("Answers k", 1, 40, 2, 1),
        "ε spent", "at most 1",
        "One answer more would overspend. Counted naively you would have stopped earlier.",
        "There is budget left for another answer.",
        "Overspent: ε is above 1.",
        "import dpcore as dp\ndp.Gaussian(sigma=10.0, sensitivity={value!r} ** 0.5).epsilon(1e-5)",
        Gaussian.card, "understand/composition", "Build a pipeline of mechanisms",
        notice=md("**Four times the answers cost about twice the ε.** The dashed line grows with k, the solid one with √k; the "
                  "more answers, the more adding up gives away."),
    ),
    "regularise": Lesson(
        "Why regularise?",
        md("Publish the weights θ of a model of 442 patients, and leaving one out moves them. The penalty (λ/2)‖θ‖² limits that move, "
           "so less noise hides it. But it also pulls θ away from the best fit."),
        md("θ predicts from ten measurements how ill a patient will be; the *loss* says how badly. One patient moves θ by at most L/λ, "
           "where L is the most that one patient's loss can pull; the noise hides that for ε = 1, δ = 10⁻⁵. The other pull is the "
           "*bias*."),
        "Which λ makes the total extra loss least (within 5 %)?",
        ("Regularisation λ", "LAMBDAS", 1.0, "list"),
        "Extra loss", "the least",
        "Here the harm of the penalty and the harm of the noise balance.",
        "Noise dominates: one patient could move the result far, so much noise is needed.",
        "The penalty dominates: the model is barely trained any more.",
        'import dpcore as dp\n'
        'dp.exhibits.output_perturbation.study.sweep_lambda(dp.load_sample("diabetes"), "huber", 1.0, 1e-5, 0.05, ({value!r},)).spread',
        OUTPUT_PERTURBATION_CARD, "understand/output_perturbation", "See bias, noise and bounds",
        {"out_lambda": "45.0", "out_bounds": "true"},
        notice=md("**Both errors meet near the least.** To its left the noise falls with 1/λ², to its right the bias rises; "
                  "privacy moves the best λ up, and with less ε further up."),
    ),
    "temperature": Lesson(
        "Draw the answer instead",
        md("You want the median of 100 values between −1 and 1. Score candidates by their mean distance to them, and draw one, better "
           "scores more often. One record may change a chance by at most the factor $e^ε$."),
        md("This is the exponential mechanism: it publishes the *choice* of an answer. With ε near 0 anything may come out, with a large "
           "ε only the best. The *excess* is how much worse than the median's the drawn score is on average."),
        "Which ε draws scores that are worse by 0.02 on average, or a little less?",
        ("ε (nats)", 0.1, 8.0, 0.2, "log"),
        "Excess", "0.015 to 0.02",
        "The draws crowd around the median tightly enough, and no more.",
        "The draws are scattered too widely: spend more ε.",
        "Sharper than asked for: the same accuracy is had with less ε.",
        "import dpcore as dp\nlandscapes = dp.exhibits.exponential_mechanism.study\n"
        "landscapes.line_landscape(100, 0.3, 0.3).excess(landscapes.pure_temperature({value!r}, 100), 0.0)",
        ExponentialMechanism.card, "understand/exponential_mechanism", "Watch draws rain on the landscape",
        {"em_epsilon": "1.10"},
        notice=md("**No noise is added to any number here**, and still the output is random: the density of what is released is "
                  "the score, raised by ε."),
    ),
    "exposed": Lesson(
        "Who is exposed?",
        md("Some people in the data are far more visible than others. Two things expose a person: unusual measurements (*leverage*) and "
           "an outcome that the others do not predict (*residual*). One alone does little."),
        md("A guarantee covers the worst imaginable person; here each has an ε of their own. The weights of lesson 4 are published as a "
           "*posterior sample*: drawn at random, the likelier the better they fit, which hides people as noise does. What counts is "
           "about the residual times the square root of the leverage."),
        "Which of these eight patients is most exposed? Click one.",
        ("Patient", 1, 8, 1, 1),
        "ε of this patient", "largest of the 8",
        "Its residual and leverage together move the regression most; neither alone decides.",
        "Another of the eight has a larger ε. Look for a large residual times the root of the leverage.",
        "",
        'import dpcore as dp\ndata = dp.load_sample("diabetes")\n'
        "dp.individual_privacy(data, dp.PosteriorSampling(gamma=20.0, lam=1.0), delta=1e-6).epsilon",
        PosteriorSampling.card, "your_data/per_instance", "Look at every row, or at your own data",
        {"pi_gamma": "20.0"},
        notice=md("**An ε of a row is a number about data**, so it is confidential itself: it tells which patients stand out. "
                  "The page that follows says what of it can be published."),
    ),
    "limits": Lesson(
        "What cannot be learned",
        md("In one of 256 bins the label switches, amid n records. A learner with ε = 0.5 names the bin with probability 0.9. Each record "
           "removed changes no chance by more than the factor $e^{0.5}$: without any, every bin keeps a share."),
        md("Half of the records lie just left of the switch, half just right: reading them, anyone can name the bin. Removing all takes n "
           "steps, so without any record *every* bin keeps a chance of at least $0.9·e^{−0.5·n}$. These 256 shares must fit into 1. If "
           "they do not, no such learner exists, however clever."),
        "With how many records does success 0.9 stop being impossible?",
        ("Records n", 2, 30, 2, 2),
        "Success not ruled out", "0.9 or more",
        "With fewer records no ε-private learner whatsoever finds the bin reliably. With more bins, more records are needed, without end.",
        "Still impossible: the shares forced on the bins add up to more than 1.",
        "Already fewer records are not ruled out.",
        "import dpcore as dp\ndp.exhibits.learning_limits.Packing(256, {value!r}, 0.5).limit",
        PACKING_CARD, "understand/learning_limits", "Follow the whole argument",
        {"ll_view": "Packing", "ll_records": "8"},
        notice=md("**The number of bins counts only by its logarithm.** Squaring their number about doubles the records that "
                  "are needed, and a line has as many bins as one likes."),
    ),
    "audit": Lesson(
        "Trust, then attack",
        md("A program claims some ε. It ran 20 000 times with Ada and as often without; every output was attacked. Finding her more than "
           "$e^ε$ times as often as false alarms, beyond chance, refutes the claim."),
        md("A claim of ε allows a detection rate of at most $e^ε$ times the false alarms (dashed). What is not refuted is not proven: a "
           "better attack might come. The counts prove, with 95 % confidence, that ε is at least the number shown."),
        "What is the largest claim (within 0.1) that this attack refutes?",
        ("Claimed ε", 0.1, 2.0, 0.3, 0.05),
        "ε proven by the attack", "above the claim",
        "A claim above the proven value survives this attack. The program's real ε is 1, so the attack found nearly all of it.",
        "This claim is refuted, but so are larger ones.",
        "This claim is not refuted: the attack proves a smaller ε.",
        "import dpcore as dp\ndp.exhibits.lessons.study.audit_bound()",
        Laplace.card, "verify/audit", "Attack mechanisms and learners",
        notice=md("**An audit gives a lower bound, a proof an upper one.** The truth lies between; here it is ε = 1, and 20 000 "
                  "runs come within a tenth of it."),
    ),
}  # fmt: skip
