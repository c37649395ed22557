"""The app without frames for whoever drags a slider, which take most of the time where only addresses are asked."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.components import live
from pages.server import address, sessions

live._PATIENCE = 0.0
app = st.App(
    Path(__file__).parents[2] / "pages" / "server" / "main.py",
    lifespan=sessions.lifespan,
    middleware=[Middleware(address.StatedAddress)],
)
