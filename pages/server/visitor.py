"""A client that asks for no page. After its visit the server refers to it, and not to the session that has ended."""

import asyncio

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.session_manager import SessionClient

_STAY = 0.5  # seconds of a visit, enough for an answer


async def pass_by(server: runtime.Runtime) -> None:
    """Visit the server for a moment, since its loop refers to the session served last, which may have ended."""
    session = server.connect_session(_Visitor(), user_info={})
    server.handle_backmsg(session, BackMsg(app_heartbeat=True))
    await asyncio.sleep(_STAY)
    server.close_session(session)


class _Visitor(SessionClient):
    """A client that asks for no page."""

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Receive the answer to the heartbeat."""

    @property
    def client_context(self) -> None:
        """No browser."""
