"""When a session ends or data are forgotten, none remain in this process, neither as downloads nor in free memory."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server import memory, visitor
from pages.server.downloads import Downloads

GRACE = 12.0  # seconds for which a connection may be interrupted before its session is closed
_PERIOD = 2.0  # seconds between two checks; a download that has been fetched is deleted after one to two periods
# Session → time since which it has no connection; inf while connected, -inf after its page has been left.
_away_since: dict[str, float] = {}
_key: dict[str, str] = {}  # session → key of its WebSocket, a random number from its browser
_downloads: list[Downloads] = []  # the one object for the server's downloads, as soon as the server runs


def register() -> None:
    """Let the session of this run be closed when its browser tab is closed."""
    context = get_script_run_ctx()
    if context is not None:
        _key[context.session_id] = st.context.headers.get("Sec-WebSocket-Key", "")
        _away_since.setdefault(context.session_id, float("inf"))


def left(key: str) -> None:
    """End the session whose page closes its WebSocket because the page is left."""
    for session in [session for session, drawn in list(_key.items()) if drawn == key]:
        _away_since[session] = float("-inf")


def sweep_soon() -> None:
    """Free objects that nothing refers to, and return the memory to the system after the runs under way have ended."""
    memory.give_back_soon()
    for downloads in _downloads:
        downloads.forget()


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Prepare memory and downloads, and watch the sessions as long as the server runs."""
    memory.overwrite_what_is_freed()
    memory.freeze_imports()
    _downloads[:] = [Downloads(runtime.get_instance().media_file_mgr._storage)]
    task = asyncio.create_task(_watch())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _watch() -> None:
    while True:
        await asyncio.sleep(_PERIOD)
        server = runtime.get_instance()
        server.media_file_mgr.remove_orphaned_files()
        _downloads[0].sweep()
        if ended := [session for session in list(_away_since) if _has_ended(server, session)]:
            for session in ended:
                server.close_session(session)
                del _away_since[session], _key[session]
            await visitor.pass_by(server)
            sweep_soon()
        await memory.give_back_when_due()


def _has_ended(server: runtime.Runtime, session: str) -> bool:
    now = time.monotonic()
    _away_since[session] = float("inf") if server.is_active_session(session) else min(_away_since[session], now)
    return now - _away_since[session] >= GRACE
