"""Learn: short lessons in order, each with a question answered by moving a slider."""

import streamlit as st

from pages.components import cards, export, lesson_views, say
from pages.components.lesson_words import LESSONS
from pages.components.say import md

cards.heading(
    "Learn",
    "Eight short lessons, from what ε means to how a claim is attacked. Each asks one question that its slider answers.",
)

with st.sidebar:
    key = lesson_views.choose()
    say.button("Start again", key="learn_forget", on_click=lesson_views.forget)
lesson = LESSONS[key]

words, picture = st.columns([1, 1], gap="medium")
with words:
    say.subheader(f"{list(LESSONS).index(key) + 1} · {lesson.title}", anchor=False)
    for paragraph in lesson.story:
        say.markdown(paragraph)
    say.markdown(md("**{}**", lesson.question))
    position = lesson_views.slider(key, lesson)
reading = lesson_views.read(key, position)
with picture:
    figures = lesson_views.picture(key, reading)
    lesson_views.metrics(key, lesson, reading)
    lesson_views.feedback(lesson, reading)
lesson_views.onwards(key, lesson, reading)

notes, formulas, program, table, take = say.tabs(["What to notice", "Formula", "Code", "Data", "Download and link"])
with notes:
    if reading.solved:
        cards.notice([lesson.right, *lesson.story[1:]])
    else:
        cards.notice(["Answer the question first: what there is to notice appears here.", *lesson.story[1:]])
with formulas:
    cards.formula_cards([lesson.card])
with program:
    cards.code(lesson.code.format(value=position))
with table:
    say.table(lesson_views.table(reading), hide_index=True, height=320)
with take:
    export.downloads(figures, lesson_views.table(reading), f"lesson_{key}")
    export.link()
