"""Messages between a page and its session: the last one is not kept, and leaving the page ends the session."""

from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server import sessions

_LEFT = 4001  # a page that is left closes its connection with this code; a broken connection has another one
_HEARTBEAT = list(BackMsg(app_heartbeat=True).SerializeToString())
SCRIPT = (
    Path(__file__)
    .with_suffix(".js")
    .read_text(encoding="utf-8")
    .replace("LEFT", str(_LEFT))
    .replace("HEARTBEAT", str(_HEARTBEAT))
)


class Farewell:
    """End the session at once when its page is left; unlike after an interruption, the page will not come back.

    A connection may break while a message is sent. Streamlit then closes it once more, and this second error is
    ignored.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def listen() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and message.get("code") == _LEFT:
                sessions.left(dict(scope["headers"])[b"sec-websocket-key"].decode())
            return message

        gone = False

        async def speak(message: Message) -> None:
            nonlocal gone
            try:
                await send(message)
            except OSError:
                gone = True
                raise

        try:
            await self._app(scope, listen, speak)
        except RuntimeError:
            if not gone:
                raise
