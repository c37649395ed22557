"""A lecture of 45 minutes: what to open, say and ask, and what the room should see, every number computed when it is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from dpcore.exhibits.lessons import lecture
from pages.components import cache, full_window, routes, say
from pages.components.say import md
from pages.components.words import number, times

STEP, ANSWER = "step", "answer"


@dataclass(frozen=True)
class Step:
    """One stop of the lecture: a page in a state, a line to say, a question, what to do once the room has guessed, its answer."""

    title: str
    minutes: int
    page: str
    state: Mapping[str, str | tuple[str, ...]]
    say: str
    ask: str
    act: str
    answer: Callable[[], str]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ceiling() -> str:
    win = cache.shared(lecture.best_guess, 1.0)
    return f"At σ = 1 the best attacker wins {_percent(win)} of the rounds. Nobody in the room beats that for long."


def _more_noise() -> str:
    before, after = cache.shared(lecture.best_guess, 1.0), cache.shared(lecture.best_guess, 5.0)
    return f"The bells flatten and overlap; the ceiling falls from {_percent(before)} to {_percent(after)}, barely above a coin."


def _equal_budget() -> str:
    found = cache.shared(lecture.of_equal_budget, 1.0, 0.5)
    listed = ", ".join(f"{name} {number(value)}" for name, value in found.items())
    return f"All three reach δ = 0 at ε = 1, but at ε = 0.5 δ is {listed}: the third hides you best. One number is not the curve."


def _growth() -> str:
    one, many = cache.shared(lecture.growth, 10.0, 100, 1e-5)
    return f"From ε = {number(one, 4)} to {number(many, 4)}: {times(many / one)}, not 100 ×. Growth follows √k until ε is large."


def _accountants() -> str:
    found = cache.shared(lecture.survey, 0.1, 100, 1e-5)
    return (
        f"Adding says ε = {number(found['basic'], 4)}, Rényi {number(found['renyi'], 4)}, the privacy-loss distribution "
        f"{number(found['pld'], 4)}. The survey is the same; only the proof is better."
    )


def _gap() -> str:
    published, tight = cache.shared(lecture.gap, 10.0, 5.0, 0.5)
    return (
        f"At ε = 0.5 the published bound charges δ = {number(published)}; the exact worst case is {number(tight)}, "
        f"{times(published / tight)} less. The noise was there all along."
    )


def _impossible() -> str:
    forced, _ = cache.shared(lecture.forced, 4, 256, 0.5)
    _, limit = cache.shared(lecture.forced, 40, 256, 0.5)
    return (
        f"Success on all 256 data sets forces probability {number(forced)} into the bins when there are no records: impossible. "
        f"With 40 records nothing is forced any more, and a private learner may succeed with {number(limit)}."
    )


def _rows() -> str:
    median, most = cache.shared(lecture.exposed_rows, "diabetes", 1e-6)
    return (
        f"The median patient has ε = {number(median)}, the most exposed one {number(most)}, {times(most / median)} as much: "
        "far from the crowd in leverage, in residual, or in both."
    )


STEPS = (
    Step(
        "Was Ada in?", 6, "understand/home", {"home_sigma": "1.00"},
        "One noisy number leaves the hospital. You are the attacker: was Ada in the data?",
        "Play ten rounds together. How many can the best attacker in the world win on average?",
        "Keys 1 and 2 answer; after ten rounds the score names the ceiling.",
        _ceiling,
    ),
    Step(
        "More noise", 3, "understand/home", {"home_sigma": "1.00"},
        "The only thing that changes is the width of the noise.",
        "Before the slider moves: what happens to the two bells, and to the ceiling?",
        "Drag the noise σ to 5.00; the ceiling is among the numbers.",
        _more_noise,
    ),
    Step(
        "One ε, three curves", 6, "understand/privacy_curves",
        {
            "pc_show": ("Laplace", "Randomised response", "Exponential"), "pc_laplace_scale": "1.00",
            "pc_randomized_response_epsilon": "1.00", "pc_randomized_response_categories": "2",
            "pc_exponential_epsilon": "1.00", "pc_epsilon": "0.5", "pc_epsilon_max": "2.00", "pc_log": "false",
        },
        "A privacy guarantee is a curve. All three of these promise ε = 1.",
        "Which of the three would you rather have been in?",
        "Read δ at ε = 0.5, where the ring is; the next figure is the attacker's trade-off.",
        _equal_budget,
    ),
    Step(
        "A hundred answers", 8, "understand/composition",
        {
            "co_view": "Privacy loss", "co_rows": "1", "co_0_kind": "Gaussian", "co_0_gaussian_sigma": "10.0", "co_0_count": "1",
            "co_delta": "10⁻⁵", "co_epsilon": "1.00",
        },
        "Every answer spends budget, and nobody asks only once.",
        "A hundred answers instead of one: does ε grow by 100, by 10, or not at all?",
        "Play k from 1 to 100; the next figure is ε, between √k and k.",
        _growth,
    ),
    Step(
        "The price of a weak proof", 4, "understand/composition",
        {
            "co_view": "Accountants", "co_rows": "1", "co_0_kind": "Randomised response",
            "co_0_randomized_response_epsilon": "0.100", "co_0_randomized_response_categories": "2", "co_0_count": "100",
            "co_methods": ("PLD", "Rényi", "Basic"), "co_delta": "10⁻⁵", "co_epsilon": "2.00",
        },
        "A hundred yes/no questions, each answered with a coin. Three accountants look at the same survey.",
        "Adding up gives 10. Is that the truth, or what we were able to prove?",
        "Follow the line of the target δ to each curve.",
        _accountants,
    ),
    Step(
        "What a bound missed", 6, "understand/objective_perturbation",
        {
            "op_view": "δ(ε)", "op_sigma": "10.0", "op_lambda": "5.00", "op_beta": "1.00", "op_lipschitz": "1.00", "op_epsilon": "0.5",
            "op_epsilon_max": "1.00",
        },
        "A model trained on a noisy objective has a published privacy bound, and an exact worst case.",
        "How far apart are they where a curator would read them, at ε = 0.5?",
        "Compare the two rings.",
        _gap,
    ),
    Step(
        "What no private learner can do", 5, "understand/learning_limits",
        {"ll_view": "Packing", "ll_records": "4", "ll_epsilon": "0.500", "ll_bins": "256"},
        "A threshold on a line is the easiest thing to learn. With privacy and few records it cannot be learned at all.",
        "Each data set must be answered well. Where does the probability have to go?",
        "Play the bins one after the other; then drag the records n to 40.",
        _impossible,
    ),
    Step(
        "You are not the worst case", 7, "your_data/per_instance",
        {"source": "Diabetes progression", "pi_kind": "Posterior sample", full_window.FIGURE: "2"},
        "The guarantee is about the worst row of all data sets. This is one data set, row by row.",
        "Who is exposed here, and why: leverage or residual?",
        "Point at dark records, and at pale ones near them.",
        _rows,
    ),
)  # fmt: skip


def starts() -> list[int]:
    """The minute at which each step begins."""
    return [sum(step.minutes for step in STEPS[:index]) for index in range(len(STEPS))]


def query(index: int) -> dict[str, str | tuple[str, ...]]:
    """What the link of a step asks for: its state, and the strip with its question."""
    return {**STEPS[index].state, STEP: str(index + 1)}


def address(page: str) -> str:
    """The last part of a page's address: home's is empty."""
    name = page.rpartition("/")[2]
    return "" if name == "home" else name


def covered() -> bool:
    """Whether a question of the lecture is open: then nothing on the page says its answer."""
    return _index() is not None and st.query_params.get(ANSWER) != "true"


def _index() -> int | None:
    asked = st.query_params.get(STEP, "")
    return int(asked) - 1 if asked.isascii() and asked.isdecimal() and 1 <= int(asked) <= len(STEPS) else None


def strip() -> None:
    """Above a page opened by the lecture: its question, what to do or the answer when asked for, the steps before and after."""
    asked = st.query_params.get(STEP, "")
    if not (asked.isdecimal() and 1 <= int(asked) <= len(STEPS)):
        return
    index = int(asked) - 1
    here = STEPS[index]
    if st.session_state.get("lecture_step") != asked:  # a link to the page that is open leaves the address as it was
        st.session_state["lecture_step"] = st.query_params[STEP] = asked
    with st.container(border=True, key="lecture_strip"):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            say.markdown(md("**{} of {} · {}**", index + 1, len(STEPS), here.ask), width="stretch")
            shown = say.toggle("Answer", key=f"lecture_answer_{index}", bind=None)
            for near, label in ((index - 1, "← Back"), (index + 1, "Next →")):
                if 0 <= near < len(STEPS):
                    routes.page_link(STEPS[near].page, label, query(near) | full_window.carried())
                else:
                    routes.page_link("understand/teach", "Teach")
        if shown:
            say.markdown(here.answer())
        else:
            say.caption(here.act)
