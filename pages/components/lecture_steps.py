"""The steps of the lecture: what to open, say and ask, what is often misunderstood, and what the room should see in the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pages.components import full_window, lecture_answers

State = Mapping[str, str | tuple[str, ...]]


@dataclass(frozen=True)
class Question:
    """A question besides the main one, what is often answered, and what to reply to that."""

    ask: str
    heard: str
    reply: str


@dataclass(frozen=True)
class Step:
    """One stop of the lecture.

    Parameters
    ----------
    title : of the step
    figure : its name in `dpcore.exhibits.lessons.sketches`
    page, state : what it opens, with the question still open
    shown : what of the state the answer changes
    slider : what the lecture moves, where that is not the page's main control
    say, ask, act : a line to say, the question, what to do once the room has guessed
    answer : what the room should see
    questions : two more
    """

    title: str
    figure: str
    page: str
    state: State
    say: str
    ask: str
    act: str
    answer: Callable[[], str]
    questions: tuple[Question, Question]
    shown: State = field(default_factory=dict)
    slider: str = ""


STEPS = (
    Step(
        "Was Ada in?", "bells", "understand/home", {"home_sigma": "1.00"},
        "One noisy number leaves the clinic. You are the attacker: was Ada in the data?",
        "Play ten rounds together. How many can the best attacker in the world win on average?",
        "Keys 1 and 2 answer; A names the ceiling.",
        lecture_answers.ceiling,
        (
            Question("The count was 104. Is it certain that Ada was in?", "More than 101 proves that she was.",
                     "Every count can come of both cases; it only moves the odds."),
            Question("Would a cleverer program guess better than the threshold 100.5?", "With more data or machine learning it would.",
                     "The larger the count, the likelier she was in: no rule is right more often than that threshold."),
        ),
    ),
    Step(
        "More noise", "wider", "understand/home", {"home_sigma": "1.00"},
        "The only thing that changes is the width of the noise.",
        "Before the slider moves: what happens to the two bells, and to the ceiling?",
        "Drag the noise σ to 5.00; A does so too.",
        lecture_answers.more_noise,
        (
            Question("Five times the noise: is the ceiling a fifth of what it was?", "69 % divided by five.",
                     "A coin wins 50 %: what falls to about a fifth is the edge over the coin."),
            Question("Does it help an attacker to know all other patients?", "Noise protects only from strangers.",
                     "In this game he knows them all: the guarantee is made against exactly him."),
        ),
        shown={"home_sigma": "5.00"},
    ),
    Step(
        "One ε, three curves", "curves", "understand/privacy_curves",
        {
            "pc_show": ("Laplace",), "pc_laplace_scale": "1.00", "pc_epsilon": "0.5", "pc_epsilon_max": "2.00", "pc_log": "false",
        },
        "A privacy guarantee is a curve. Laplace noise, a randomised answer and an exponential choice all promise ε = 1.",
        "Which of the three would you rather have been in?",
        "Move the ring along Laplace's curve; A draws the other two.",
        lecture_answers.equal_budget,
        (
            Question("Two mechanisms both promise ε = 1. Are they equally private?", "Yes: ε is the guarantee.",
                     "ε is where a curve reaches δ = 0; to the left of it they differ."),
            Question("Is δ the chance that the promise is broken?", "With probability δ everything leaks.",
                     "The chance to exceed ε is larger, and δ counts little of what exceeds it only just."),
        ),
        shown={
            "pc_show": ("Laplace", "Randomised response", "Exponential"), "pc_randomized_response_epsilon": "1.00",
            "pc_randomized_response_categories": "2", "pc_exponential_epsilon": "1.00",
        },
        slider="pc_epsilon",
    ),
    Step(
        "A hundred answers", "growth", "understand/composition",
        {
            "co_view": "Privacy loss", "co_rows": "1", "co_0_kind": "Gaussian", "co_0_gaussian_sigma": "10.0", "co_0_count": "1",
            "co_runs": "1", "co_delta": "10⁻⁵", "co_epsilon": "1.00",
        },
        "Every answer spends budget, and nobody asks only once.",
        "A hundred answers instead of one: does ε grow by 100, by 10, or not at all?",
        "Press Play: k goes from 1 to 100. After A the next figure is ε, between √k and k.",
        lecture_answers.growth,
        (
            Question("Is it wrong to add up the ε of all answers?", "Yes, the sum is false.",
                     "The sum is a true bound far above what happens: noises rarely all point the same way."),
            Question("If each answer goes to somebody else, does each cost only its own ε?", "Yes, nobody sees the other answers.",
                     "They can put their answers together; all of them count."),
        ),
        shown={"co_runs": "100"},
    ),
    Step(
        "The price of a weak proof", "accountants", "understand/composition",
        {
            "co_view": "Accountants", "co_rows": "1", "co_0_kind": "Randomised response",
            "co_0_randomized_response_epsilon": "0.100", "co_0_randomized_response_categories": "2", "co_0_count": "100",
            "co_methods": ("Basic",), "co_delta": "10⁻⁵", "co_epsilon": "10.0",
        },
        "A hundred yes/no questions, each answered with a coin. Three accountants look at the same survey.",
        "Adding up gives 10. Is that the truth, or what we were able to prove?",
        "A draws the other two; follow the line of the target δ to each curve.",
        lecture_answers.accountants,
        (
            Question("A better accountant says less. Is the survey more private now?", "Yes, ε went down.",
                     "Nothing about the survey changed, only what is proven of it."),
            Question("May one report the smallest of three bounds?", "That would be cheating.",
                     "Each is a theorem about the same survey and looks at no data: the smallest holds too."),
        ),
        shown={"co_methods": ("PLD", "Rényi", "Basic"), "co_epsilon": "2.00"},
    ),
    Step(
        "What a bound missed", "gap", "understand/objective_perturbation",
        {
            "op_view": "δ(ε)", "op_sigma": "10.0", "op_lambda": "5.00", "op_beta": "1.00", "op_lipschitz": "1.00",
            "op_show": ("Thm 3.1",), "op_epsilon": "0.5", "op_epsilon_max": "1.00",
        },
        "A model trained on a noisy objective has a published privacy bound, and an exact worst case.",
        "How far apart are they where a curator would read them, at ε = 0.5?",
        "A draws the exact curve; compare the two rings.",
        lecture_answers.gap,
        (
            Question("Is the published bound wrong?", "Yes, the exact curve contradicts it.",
                     "It holds and is loose. Wrong would be a bound below the exact worst case."),
            Question("What can a curator do with the lower curve?", "Nothing: the noise is in the model already.",
                     "Report the smaller ε, or train with less noise for the same one."),
        ),
        shown={"op_show": ("Tight", "Thm 3.1")},
    ),
    Step(
        "What no private learner can do", "packing", "understand/learning_limits",
        {"ll_view": "Packing", "ll_records": "4", "ll_epsilon": "0.500", "ll_bins": "256"},
        "A threshold on a line is the easiest thing to learn. With privacy and few records it cannot be learned at all.",
        "Each data set must be answered well. Where does the probability have to go?",
        "Play the bins one after the other; after A drag the records n to 40.",
        lecture_answers.impossible,
        (
            Question("Could a cleverer private learner do it?", "Yes, this one is only a weak algorithm.",
                     "No learner was named: the sum needs only its ε and its success."),
            Question("Does more computing time help?", "Yes, search longer.",
                     "The sum counts probability, not steps. More records help, a larger ε, or fewer bins."),
        ),
        slider="ll_records",
    ),
    Step(
        "You are not the worst case", "rows", "your_data/per_instance",
        {"source": "Diabetes progression", "pi_kind": "Posterior sample", full_window.FIGURE: "2"},
        "The guarantee is about the worst row of all data sets. This is one data set, row by row.",
        "Who is exposed here, and why: leverage or residual?",
        "Have the room point at records; A colours them. Point at dark ones, and at pale ones near them.",
        lecture_answers.rows,
        (
            Question("May the curator publish each person's ε?", "Yes, it is only a privacy number.",
                     "It is computed from the data and says who stands out: it needs protection itself."),
            Question("Is a person with unusual measurements always exposed?", "Outliers are, all others are safe.",
                     "Leverage does little where the outcome is predicted well; it is the two together."),
        ),
    ),
    Step(
        "Draw the answer instead", "draws", "understand/exponential_mechanism", {"em_epsilon": "1.00"},
        "Noise can act on the choice of an answer: here on which value is named as the median.",
        "Four times the budget: how much closer to the best answer does a draw come?",
        "Drag ε to 4.00; A does so too.",
        lecture_answers.drawn,
        (
            Question("No noise is added to any number. Where is the privacy?", "There is none: the data are used as they are.",
                     "In the draw: one record changes no answer's chance by more than the factor e to the ε."),
            Question("Is the best answer the one that comes out?", "Yes, the best score wins.",
                     "Only more often than others. A sure winner would betray the record that decides it."),
        ),
        shown={"em_epsilon": "4.00"},
    ),
)  # fmt: skip

PLANS = {  # minutes of the lecture, then steps by their places above with the minutes of each
    20: ((0, 5), (2, 4), (3, 6), (7, 5)),
    45: ((0, 6), (1, 3), (2, 6), (3, 8), (4, 4), (5, 6), (6, 5), (7, 7)),
    90: ((0, 10), (1, 6), (2, 12), (8, 10), (3, 14), (4, 8), (5, 10), (6, 10), (7, 10)),
}
