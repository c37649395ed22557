"""Addresses: every page gets a script that states the address of its server, and controls are written into addresses.

Without the script, Streamlit's frontend would first look for the server below the page's own address, and log two 404s.
The script also contains `conversation.js`, which ends a session when its page is left.
"""

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server.conversation import SCRIPT

_WHERE = (
    "{{const here = location.pathname.replace(/[/]+$/, '');"
    "window.__streamlit = {{BACKEND_BASE_URL: location.origin + here.slice(0, here.length - {below})}};}}"
)
_WITHOUT = (b"accept-encoding", b"if-none-match", b"if-modified-since")  # so that pages are sent in full, uncompressed


class StatedAddress:
    """Write the address of the server (without the page's name) into every HTML page, which no browser may store."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or b"text/html" not in dict(scope["headers"]).get(b"accept", b""):
            return await self._app(scope, receive, send)
        plain = {**scope, "headers": [header for header in scope["headers"] if header[0] not in _WITHOUT]}
        page, start, body = page_of(scope["path"]), None, b""

        async def pass_on(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                return
            if start is None:
                return await send(message)
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            said = f"<head><script>{_WHERE.format(below=len(page))}{SCRIPT}</script>"
            whole = body.replace(b"<head>", said.encode(), 1)
            ours = {b"content-length": str(len(whole)).encode(), b"cache-control": b"no-store"}
            headers = [header for header in start["headers"] if header[0] not in ours]
            await send({**start, "headers": [*headers, *ours.items()]})
            await send({**message, "body": whole})

        await self._app(plain, receive, pass_on)


def _is_page(start: Message) -> bool:
    kind = dict(start["headers"]).get(b"content-type", b"")
    return start["status"] == 200 and kind.startswith(b"text/html")


def page_of(path: str) -> str:
    """The part of a request's path that names a page: "/errata" in "/base/errata" if the app is served below /base."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return path.rstrip("/").removeprefix(f"/{base}" if base else "")


def write(key: str, values: list[str]) -> None:
    """Write a control's values into the address, or remove it, even if Streamlit manages this parameter."""
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as said:
            said.set_with_no_forward_msg(key, values)
            said._send_query_param_msg() if values else said.remove_param(key)
