"""The steps of the lecture on the screen."""

import re
from dataclasses import dataclass

import streamlit as st

from dpcore.exhibits.gallery.figure import still_picture
from dpcore.exhibits.lessons.figure import plan_figure
from dpcore.exhibits.lessons.sketches import sketch
from dpcore.interfaces.handout import Stop, lecturer_html, room_html
from pages.components import cache, cards, full_window, routes, running_order, say, screen, state
from pages.components.charts import Chart, place
from pages.components.lecture_steps import PLANS, STEPS
from pages.components.say import md

_sentence = say.sentences(__file__)

NOTES = (_sentence("ask_before"), _sentence("state_link"), _sentence("order_argument"))


def _plan(asked: state.Asked, key: str) -> int:
    return say.segmented_control(
        "Minutes", list(PLANS), format_func=str, default=running_order.USUAL, required=True, key=key
    )


def _answers(asked: state.Asked, key: str) -> bool:
    told = "Off while the room can see this screen; each number is computed when it is shown."
    shown = say.toggle("Show the answers", key=key, help=told)
    say.caption(_sentence("keys"))
    return shown


@dataclass(frozen=True)
class State:
    """The choices made in the sidebar."""

    plan: int = state.control(running_order.USUAL, _plan)
    answers: bool = state.control(False, _answers)


def headline(shown: State) -> str:
    """How long the lecture is, how many questions it has, and when they are answered."""
    return f"{shown.plan} minutes, {len(PLANS[shown.plan])} questions, each asked before it is answered"


def steps(shown: State) -> list[Chart]:
    """Show a button that starts the lecture, its plan as a chart, and below all steps in their order."""
    begun, order = running_order.starts(shown.plan), PLANS[shown.plan]
    titles = [f"{number} · {STEPS[index].title}" for number, (index, _) in enumerate(order, 1)]
    bars = [(title, begins, begins + minutes) for title, begins, (_, minutes) in zip(titles, begun, order, strict=True)]
    if say.button("Start the lecture", key="teach_start", type="primary", icon=":material/play_arrow:"):
        first = order[0][0]
        routes.open_page(STEPS[first].page, running_order.query(first, plan=shown.plan) | {full_window.ON: "true"})
    chart = Chart(
        "Plan",
        lambda: plan_figure(bars, cards.theme_mode(), narrow=screen.size() == "phone"),
        "The steps of the lecture by their minutes",
        "teach_plan_chart",
    )
    place(chart)
    with st.container(gap="xsmall", key="teach_steps"):
        for number, ((index, minutes), begins) in enumerate(zip(order, begun, strict=True), 1):
            _step(number, index, begins, minutes, shown)
    return [chart]


def _step(number: int, index: int, begins: int, minutes: int, shown: State) -> None:
    """Show one step: its time, its link, what to say and ask, common mistakes and, if chosen, the answers."""
    here = STEPS[index]
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            title = md("{} · {} :small[minutes {} to {}]", number, here.title, begins, begins + minutes)
            say.subheader(title, anchor=False, width="stretch")
            opened = running_order.query(index, plan=shown.plan) | {full_window.ON: "true"}
            routes.page_link(here.page, md("**Open step {} →**", number), opened)
        say.markdown(md("Say: *{}*  \nAsk: **{}**  \nDo: {}", here.say, here.ask, here.act))
        if shown.answers:
            say.markdown(md("See: {}", here.answer()))
        with say.expander("Two more questions", type="compact"):
            for one in here.questions:
                said = md("**{}** Often heard: *{}*", one.ask, one.heard)
                say.markdown(md("{} Reply: {}", said, one.reply) if shown.answers else said)


_TITLE = "See differential privacy: a lecture of {} minutes"
_HERE = re.compile(r"//(localhost|127\.|\[::1\]|0\.0\.0\.0)")  # addresses that work only on this computer


def handouts(plan: int) -> None:
    """Show buttons for both hand-outs, which are made when they are asked for."""
    found = st.context.url.rsplit("/", 1)[0] if st.context.url else ""
    say.markdown(_sentence("handouts"))
    base = say.text_input(
        "Address printed on it", found, key="teach_address", bind=None, max_chars=200,
        help="Each step is at this address with ?step= and its number; it opens the page with the question still open.",
    )  # fmt: skip
    base = (base or "").strip().rstrip("/")
    if _HERE.search(base):
        say.warning(
            "Only this computer finds that address. Write the one at which the room reaches it, such as http://192.168.1.20:8501, or "
            "empty the field: then no address is printed.",
            icon=":material/link_off:",
        )
    for name, label in (("lecturer", "For the lecturer (HTML to print)"), ("room", "For the room (HTML to print)")):
        say.download_button(
            label, data=lambda name=name: handout(plan, base, name).encode(), mime="text/html", on_click="ignore",
            file_name=f"see_differential_privacy_{plan}_minutes_{name}.html", icon=":material/print:", key=f"teach_{name}",
        )  # fmt: skip


def handout(plan: int, base: str, reader: str) -> str:
    """One hand-out as a page of HTML; `base` is the address of the app, or empty."""
    make = lecturer_html if reader == "lecturer" else room_html
    begun = zip(PLANS[plan], running_order.starts(plan), strict=True)
    return make(_TITLE.format(plan), [_stop(index, begins, minutes, base) for (index, minutes), begins in begun])


def _stop(index: int, begins: int, minutes: int, base: str) -> Stop:
    step, drawing = STEPS[index], cache.shared(sketch, STEPS[index].figure)
    return Stop(
        title=step.title, begins=begins, ends=begins + minutes, address=f"{base}/?step={index + 1}" if base else "",
        say=step.say, ask=step.ask, act=step.act, answer=step.answer(),
        questions=[(one.ask, one.heard, one.reply) for one in step.questions],
        axes=still_picture(drawing, "light", empty=True), figure=still_picture(drawing, "light"),
    )  # fmt: skip
