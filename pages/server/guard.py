"""Who may use the server: requests for its own host names, and WebSockets opened by its own pages."""

from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketClose


class SameOrigin:
    """Refuse a WebSocket that a page of another site opens."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            socket = WebSocket(scope, receive, send)
            origin = socket.headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != socket.headers.get("host"):
                return await WebSocketClose()(scope, receive, send)
        return await self._app(scope, receive, send)


def hosts() -> list[str]:
    """Names this server answers to: this machine's own, `server.address`, and those in `server.allowedHosts`."""
    here = ["127.0.0.1", "localhost", "[::1]"]
    return [*here, *filter(None, [st.get_option("server.address")]), *st.get_option("server.allowedHosts")]


def middleware() -> list[Middleware]:
    """Both checks, in the order in which they are applied."""
    return [Middleware(TrustedHostMiddleware, allowed_hosts=hosts(), www_redirect=False), Middleware(SameOrigin)]
