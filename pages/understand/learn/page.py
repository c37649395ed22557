"""Learn: short lessons in order, each with a question to guess at before its curve is drawn."""

import streamlit as st

from pages.components import cards, full_window, live, say, screen
from pages.components.page import Page
from pages.components.say import md
from pages.server import steps
from pages.understand.learn import progress, views
from pages.understand.learn.words import LESSONS


def _draw() -> None:
    cards.heading("Learn", "Eight short lessons. Each asks one question: guess first, then see the curve.")

    with st.sidebar:
        key = progress.choose()
        say.button("Start again", key="learn_forget", on_click=progress.forget)
    steps.place(key)
    lesson = LESSONS[key]

    words, picture = st.columns([1, 1], gap="medium")
    with words:
        say.subheader(f"{list(LESSONS).index(key) + 1} · {lesson.title}", anchor=False)
        shown = progress.step(key)
        for paragraph in lesson.story:
            say.markdown(paragraph)
        views.given(key)
    with picture:
        top = full_window.above()
        with top:
            say.markdown(md("**{}**", lesson.question))
        place, reading = st.container(), None
        if not shown:
            guess = progress.guess(key, lesson, fixed=False)
            with full_window.beside():
                progress.commit(key)
            with place:
                views.guess_picture(key, guess)
        else:
            left, right = st.columns(2)
            with left:
                guess = progress.guess(key, lesson, fixed=True)
            with right:
                reading = views.read(key, progress.answer(key, lesson, guess))
            with place:
                pictures = views.answer_picture(key, reading, guess)
            with top if full_window.is_on() else st.container():
                views.feedback(lesson, reading)
    with (
        st.container() if screen.size() == "phone" else words
    ):  # where columns stand below each other, the way on comes last
        solved = reading is not None and reading.solved
        progress.note(key, solved)
        with full_window.beside() if shown else st.container():
            views.onwards(key, lesson, solved)
    if reading is not None:
        views.metrics(key, lesson, reading, views.read(key, guess))
        follows = views.offers(key, guess)
        views.further(key, reading, pictures, follows)
        live.follow(follows, key="learn_live")


PAGE = Page(draw=_draw)
