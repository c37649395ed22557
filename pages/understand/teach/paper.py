"""The lecture on paper: for the lecturer, and for the room a sheet a step with axes to sketch on."""

import re

import streamlit as st

from dpcore.exhibits.gallery.figure import still_picture
from dpcore.exhibits.lessons.sketches import sketch
from dpcore.interfaces.handout import Stop, lecturer_html, room_html
from pages.components import cache, running_order, say
from pages.components.lecture_steps import PLANS, STEPS

_TITLE = "See differential privacy: a lecture of {} minutes"
_HERE = re.compile(r"//(localhost|127\.|\[::1\]|0\.0\.0\.0)")  # only this computer finds it under that name


def handouts(plan: int) -> None:
    """Both hand-outs, made when they are asked for."""
    found = st.context.url.rsplit("/", 1)[0] if st.context.url else ""
    say.markdown(
        "For the lecturer the running order with answers and what is often misunderstood. For the room a sheet a step to print on both "
        "sides: axes to sketch on in front, the figure on the back."
    )
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
    """One of them; `base` is the address of the app, or empty."""
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
