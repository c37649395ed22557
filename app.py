"""What `streamlit run app.py` serves: the pages, with a check of who asks. Sessions are forgotten when they end."""

from pathlib import Path

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware

from pages.server import address, conversation, guard, sessions

MultiPartParser.spool_max_size = (
    2**40
)  # An upload stays in memory. By default the form parser would write uploads of more than 1 MB to disk.

app = st.App(
    Path(__file__).parent / "pages" / "server" / "main.py",
    lifespan=sessions.lifespan,
    middleware=[*guard.middleware(), Middleware(address.StatedAddress), Middleware(conversation.Farewell)],
)

if __name__ == "__main__":  # executed as a script, without a server
    from pages.server import main

    main.draw()
