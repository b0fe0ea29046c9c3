"""Plain HTTP: each request names the host that was allowed, and no byte can be read in two ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.network.egress_filter import HttpWatch
from workbench.network.network_errors import Blocked

HEAD = b"GET /a HTTP/1.1\r\nHost: ok.test\r\n"
POST = b"POST /a HTTP/1.1\r\nHost: ok.test:80\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
GOOD = [
    HEAD + b"\r\n",
    HEAD + b"Accept: */*\r\nConnection: keep-alive\r\n\r\n",
    b"GET http://OK.test:80/a?b HTTP/1.1\r\nhost: OK.TEST.\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: ok.test\r\n\r\n",
    POST + b"Content-Length: 5\r\n\r\nhello",
    POST + b"Content-Length: 0\r\n\r\n",
    CHUNKED + b"5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
    CHUNKED + b"1\r\nh\r\n0\r\nTrailer: yes\r\n\r\n",
]


@pytest.mark.parametrize("request_", GOOD)
def test_a_request_for_the_host_passes_unchanged(request_: bytes) -> None:
    assert HttpWatch("ok.test", 80).feed(request_) == request_


@given(st.lists(st.sampled_from(GOOD), max_size=4), st.lists(st.integers(1, 60), max_size=30))
def test_many_requests_in_pieces_pass_unchanged(requests: list[bytes], cuts: list[int]) -> None:
    whole, watch, passed, at = b"".join(requests), HttpWatch("ok.test", 80), b"", 0
    for size in [*cuts, len(whole) or 1]:
        passed += watch.feed(whole[at : at + size])
        at += size
    assert passed == whole


BAD = [
    b"GET /a HTTP/1.1\r\nHost: evil.test\r\n\r\n",
    b"GET /a HTTP/1.1\r\n\r\n",
    b"GET /a HTTP/1.0\r\n\r\n",
    HEAD + b"Host: evil.test\r\n\r\n",
    HEAD + b" continued\r\n\r\n",
    b"GET http://evil.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n",
    b"GET http://ok.test@evil.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n",
    b"GET https://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n",
    b"GET //evil.test HTTP/1.1\r\nHost: ok.test:81\r\n\r\n",
    b"CONNECT ok.test:80 HTTP/1.1\r\nHost: ok.test\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /a HTTP/1.1\nHost: ok.test\n\n" + b"\r\n\r\n",
    b"GET /a  HTTP/1.1\r\nHost: ok.test\r\n\r\n",
    HEAD + b"X: a\nHost: evil.test\r\n\r\n",
    HEAD + b"X: a\rHost: evil.test\r\n\r\n",
    HEAD + b"X : a\r\n\r\n",
    HEAD + b"Upgrade: websocket\r\n\r\n",
    b"GET /a HTTP/1.1\r\nHost: ok.test evil.test\r\n\r\n",
    b"GET /a HTTP/1.1\r\nHost: ok.test:80:80\r\n\r\n",
    b"GET /a HTTP/1.1\r\nHost:\r\n\r\n",
    POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    POST + b"Content-Length: 5, 5\r\n\r\nhello",
    POST + b"Content-Length: +5\r\n\r\nhello",
    POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
    POST + b"Transfer-Encoding: identity\r\n\r\n",
    b"POST /a HTTP/1.0\r\nHost: ok.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    CHUNKED + b"xyz\r\n",
    CHUNKED + b"-1\r\n",
    CHUNKED + b"1\r\nhello\r\n",
    CHUNKED + b"1" * 2000,
    b"\x00\x01\x02",
    b"SSH-2.0-OpenSSH\r\n" + b"\r\n\r\n",
    b" GET / HTTP/1.1",
    b"x" * 200,
    HEAD + b"A: " + b"x" * 70000,
]


@pytest.mark.parametrize("request_", BAD)
def test_anything_else_is_refused(request_: bytes) -> None:
    with pytest.raises(Blocked):
        HttpWatch("ok.test", 80).feed(request_)


@pytest.mark.parametrize("request_", BAD[:9])
def test_the_second_request_of_a_connection_is_looked_at_too(request_: bytes) -> None:
    for first in GOOD:
        watch = HttpWatch("ok.test", 80)
        assert watch.feed(first) == first
        with pytest.raises(Blocked):
            watch.feed(request_)


def test_a_body_may_hold_whatever_it_likes() -> None:
    body = b"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"
    watch = HttpWatch("ok.test", 80)
    whole = POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
    assert watch.feed(whole) == whole


@given(st.binary(max_size=300))
def test_bytes_are_refused_or_held_and_no_other_host_is_named(data: bytes) -> None:
    watch = HttpWatch("ok.test", 80)
    try:
        passed = watch.feed(HEAD + data)
    except Blocked:
        return
    assert passed in (b"", HEAD + data[: len(passed) - len(HEAD)])
