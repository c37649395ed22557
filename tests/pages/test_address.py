"""Pages of HTML state the server's address; everything else passes as it is."""

import asyncio

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route

from pages.server import address
from tests.pages.tabs import awaited

PAGE = "<!DOCTYPE html><html><head><title>π</title></head></html>"


def answered(path, accept="text/html,*/*"):
    """(headers, body, what the app was asked) of a small app behind the middleware."""
    asked = []

    async def page(request):
        asked.append(dict(request.headers))
        return HTMLResponse(PAGE)

    text, pieces = PlainTextResponse(PAGE), StreamingResponse(iter([PAGE[:20], PAGE[20:]]), media_type="text/html")
    routes = [Route("/text", lambda _: text), Route("/pieces", lambda _: pieces), Route("/{rest:path}", page)]
    sent = []

    async def run():
        async def receive():  # the browser stays
            await asyncio.Event().wait()

        async def send(message):
            sent.append(message)

        given = {"accept": accept, "accept-encoding": "gzip", "if-none-match": "x", "host": "here"}
        headers = [(name.encode(), value.encode()) for name, value in given.items()]
        scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b""}
        await address.StatedAddress(Starlette(routes=routes))(scope, receive, send)

    awaited(run)
    body = b"".join(message.get("body", b"") for message in sent)
    return dict(sent[0]["headers"]), body.decode(), asked


@pytest.mark.parametrize(("path", "below"), [("/errata", 7), ("/", 0), ("/pieces", 7)])
def test_a_page_says_how_much_of_the_address_is_its_own(path, below):
    headers, body, asked = answered(path)
    assert f"here.length - {below})" in body
    assert body.replace(body[body.index("<script>") : body.index("</script>") + 9], "") == PAGE
    assert int(headers[b"content-length"]) == len(body.encode())
    for one in asked:  # neither compressed nor "as before"
        assert not {"accept-encoding", "if-none-match"} & set(one)
    assert headers[b"cache-control"] == b"no-store"  # a page that was left is not shown again


@pytest.mark.parametrize(("path", "accept"), [("/text", "text/html"), ("/errata", "application/json")])
def test_everything_else_passes_as_it_is(path, accept):
    assert answered(path, accept)[1] == PAGE


def test_below_a_base_path_only_the_page_is_left_out(monkeypatch):
    monkeypatch.setattr(st, "get_option", lambda name: "lab/dp")
    assert [address.page_of(path) for path in ("/lab/dp/errata", "/lab/dp/", "/lab/dp")] == ["/errata", "", ""]
