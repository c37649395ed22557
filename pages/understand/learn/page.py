"""Learn: short lessons in order, each with a question answered by moving a slider."""

import streamlit as st

from pages.components import cards, export, say
from pages.components.say import md
from pages.understand.learn import views
from pages.understand.learn.words import LESSONS

cards.heading(
    "Learn",
    "Eight short lessons, from what ε means to how a claim is attacked. Each asks one question that its slider answers.",
)

with st.sidebar:
    key = views.choose()
    say.button("Start again", key="learn_forget", on_click=views.forget)
lesson = LESSONS[key]

words, picture = st.columns([1, 1], gap="medium")
with words:
    say.subheader(f"{list(LESSONS).index(key) + 1} · {lesson.title}", anchor=False)
    for paragraph in lesson.story:
        say.markdown(paragraph)
    say.markdown(md("**{}**", lesson.question))
    position = views.slider(key, lesson)
reading = views.read(key, position)
with picture:
    figures = views.picture(key, reading)
    views.metrics(key, lesson, reading)
    views.feedback(lesson, reading)
views.onwards(key, lesson, reading)

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
    say.table(views.table(reading), hide_index=True, height=320)
with take:
    export.downloads(figures, views.table(reading), f"lesson_{key}")
    export.link()
