"""The server answers to the host it is served on, and its WebSocket to its own pages: no other site can reach it."""

import http.client
import socket

import pytest

_UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


def status(server, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", path, headers=headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def connected(server, **headers: str) -> bool:
    """Whether a WebSocket with these headers is opened."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in (_UPGRADE | headers).items()]
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as plug:
        plug.sendall("\r\n".join(["GET /_stcore/stream HTTP/1.1", *lines, "", ""]).encode())
        return plug.recv(64).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_its_own_pages_are_served(server, name):
    host = f"{name}:{server.port}"
    assert status(server, "/", Host=host) == 200
    assert connected(server, Host=host, Origin=f"http://{host}")


def test_another_site_cannot_open_the_websocket(server):
    assert not connected(server, Host=f"127.0.0.1:{server.port}", Origin="http://site.example")
    assert not connected(server, Host=f"127.0.0.1:{server.port}", Origin="http://127.0.0.1:9")
    assert not connected(server, Host=f"127.0.0.1:{server.port}", Origin="null")


def test_a_name_that_is_bound_to_this_machine_is_refused(server):
    host = f"site.example:{server.port}"
    assert status(server, "/", Host=host) == 400
    assert status(server, "/_stcore/health", Host=host) == 400
    assert not connected(server, Host=host, Origin=f"http://{host}")
