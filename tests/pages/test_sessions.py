"""A session outlives an interruption of its connection for a while, and its page not at all."""

import pytest

from pages.server import conversation, sessions
from tests.pages.tabs import awaited


@pytest.fixture
def ended(monkeypatch):
    """Whether session "one" has ended a number of seconds after its WebSocket was closed with a code."""
    now = [100.0]
    monkeypatch.setattr(sessions.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sessions, "_away_since", {"one": float("inf"), "other": float("inf")})
    monkeypatch.setattr(sessions, "_key", {"one": "drawn", "other": "another"})

    class Server:
        connected = True

        def is_active_session(self, session):
            return session == "other" or self.connected

    async def talk(code):
        async def receive():
            return {"type": "websocket.disconnect", "code": code}

        async def endpoint(scope, receive, send):
            assert (await receive())["code"] == code
            Server.connected = False

        scope = {"type": "websocket", "headers": [(b"sec-websocket-key", b"drawn")]}
        await conversation.Farewell(endpoint)(scope, receive, None)

    def ask(code, seconds):
        assert not sessions._has_ended(Server(), "one")
        awaited(talk, code)
        first = sessions._has_ended(Server(), "one")
        now[0] += seconds
        assert not sessions._has_ended(Server(), "other")
        return first or sessions._has_ended(Server(), "one")

    return ask


@pytest.mark.parametrize(("code", "seconds", "gone"), [
    (1000, sessions.GRACE - 1, False),
    (1006, sessions.GRACE - 1, False),
    (1006, sessions.GRACE, True),
    (conversation._LEFT, 0, True),
])  # fmt: skip
def test_an_interruption_is_waited_for_a_while_and_a_page_that_is_left_is_not(ended, code, seconds, gone):
    assert ended(code, seconds) == gone
