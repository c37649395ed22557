"""The page is told the server's address: Streamlit's frontend would look for it below the page's own first, and log two 404s."""

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_START = (
    "<head><script>{{const here = location.pathname.replace(/[/]+$/, '');"
    "window.__streamlit = {{BACKEND_BASE_URL: location.origin + here.slice(0, here.length - {below})}};}}</script>"
)


class StatedAddress:
    """Write the server's address into every page of HTML: where the browser is, without the page's own name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or b"text/html" not in dict(scope["headers"]).get(b"accept", b""):
            return await self._app(scope, receive, send)
        plain = {**scope, "headers": [header for header in scope["headers"] if header[0] != b"accept-encoding"]}
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
        body = self._body.replace(b"<head>", _START.format(below=len(self._page)).encode(), 1)
        headers = [header for header in self._start["headers"] if header[0] != b"content-length"]
        await self._send({**self._start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
        await self._send({**message, "body": body})


def _is_page(start: Message) -> bool:
    kind = dict(start["headers"]).get(b"content-type", b"")
    return start["status"] == 200 and kind.startswith(b"text/html")


def page_of(path: str) -> str:
    """What of a request's path names a page: "/errata" of "/base/errata" where the app is served below /base."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return path.rstrip("/").removeprefix(f"/{base}" if base else "")
