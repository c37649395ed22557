"""Addresses: what every page is told first, where its server is and that its session ends when it is left; and its state.

Streamlit's frontend would look for the server below the page's own address first, and log two 404s.
"""

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server.conversation import SCRIPT

_WHERE = (
    "{{const here = location.pathname.replace(/[/]+$/, '');"
    "window.__streamlit = {{BACKEND_BASE_URL: location.origin + here.slice(0, here.length - {below})}};}}"
)
_WITHOUT = (b"accept-encoding", b"if-none-match", b"if-modified-since")  # each page is sent anew, and as it is written


class StatedAddress:
    """Write into every page of HTML where the server is, without the page's own name; no browser may store the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or b"text/html" not in dict(scope["headers"]).get(b"accept", b""):
            return await self._app(scope, receive, send)
        plain = {**scope, "headers": [header for header in scope["headers"] if header[0] not in _WITHOUT]}
        await self._app(plain, receive, _Page(page_of(scope["path"]), send).pass_on)


class _Page:
    """One answer on its way to the browser."""

    def __init__(self, page: str, send: Send) -> None:
        self._page, self._send = page, send
        self._start: Message | None = None
        self._body = b""

    async def pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
            return
        if self._start is None:
            return await self._send(message)
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        said = f"<head><script>{_WHERE.format(below=len(self._page))}{SCRIPT}</script>"
        body = self._body.replace(b"<head>", said.encode(), 1)
        ours = {b"content-length": str(len(body)).encode(), b"cache-control": b"no-store"}
        headers = [header for header in self._start["headers"] if header[0] not in ours]
        await self._send({**self._start, "headers": [*headers, *ours.items()]})
        await self._send({**message, "body": body})


def _is_page(start: Message) -> bool:
    kind = dict(start["headers"]).get(b"content-type", b"")
    return start["status"] == 200 and kind.startswith(b"text/html")


def page_of(path: str) -> str:
    """What of a request's path names a page: "/errata" of "/base/errata" where the app is served below /base."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return path.rstrip("/").removeprefix(f"/{base}" if base else "")


def write(key: str, values: list[str]) -> None:
    """Have the address say this of a control, or nothing; also while Streamlit holds that part to be its own."""
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as said:
            said.set_with_no_forward_msg(key, values)
            said._send_query_param_msg() if values else said.remove_param(key)
