"""When a session ends, or data are forgotten, nothing of them stays in this process: no download, no free memory."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server import memory, visitor
from pages.server.downloads import Downloads

GRACE = 12.0  # seconds a connection may be interrupted before its session is closed
_PERIOD = 2.0  # a download that has been fetched is dropped after one to two periods
_away_since: dict[str, float] = {}  # by session; inf while connected, -inf once its page has been left
_key: dict[str, str] = {}  # by session, of its WebSocket: a number that its browser has drawn
_downloads: list[Downloads] = []  # of the server, once it runs


def register() -> None:
    """Have the session of this run closed when its browser tab is."""
    context = get_script_run_ctx()
    if context is not None:
        _key[context.session_id] = st.context.headers.get("Sec-WebSocket-Key", "")
        _away_since.setdefault(context.session_id, float("inf"))


def left(key: str) -> None:
    """End the session whose page closes its WebSocket because it is left."""
    for session in [session for session, drawn in list(_key.items()) if drawn == key]:
        _away_since[session] = float("-inf")


def sweep_soon() -> None:
    """Free what nothing refers to any more, and give the memory back to the system, once the runs under way have ended."""
    memory.give_back_soon()
    for downloads in _downloads:
        downloads.forget()


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Watch the sessions as long as the server runs."""
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
