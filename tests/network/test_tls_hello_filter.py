"""The first words of TLS: real ones of this Python, and everything that could stand in their place."""

from __future__ import annotations

import ssl
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.network.egress_filter import TlsWatch
from workbench.network.network_errors import Blocked


def _hello(host: str | None) -> bytes:
    """What OpenSSL says first."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    out = ssl.MemoryBIO()
    line = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=host)
    with pytest.raises(ssl.SSLWantReadError):
        line.do_handshake()
    return out.read()


def _extension(kind: int, body: bytes) -> bytes:
    return struct.pack(">HH", kind, len(body)) + body


def _names(*names: bytes) -> bytes:
    listed = b"".join(b"\0" + struct.pack(">H", len(name)) + name for name in names)
    return _extension(0, struct.pack(">H", len(listed)) + listed)


def _made(extensions: bytes, records: int = 1) -> bytes:
    body = b"\3\3" + b"r" * 32 + b"\0" + b"\0\2\x13\1" + b"\1\0" + struct.pack(">H", len(extensions)) + extensions
    message = b"\1" + len(body).to_bytes(3, "big") + body
    size = -(-len(message) // records)
    pieces = [message[at : at + size] for at in range(0, len(message), size)]
    return b"".join(b"\x16\3\1" + struct.pack(">H", len(piece)) + piece for piece in pieces)


def test_a_real_hello_for_the_host_passes_whole_and_so_does_what_follows() -> None:
    watch, hello = TlsWatch("api.example.org"), _hello("api.example.org")
    assert watch.feed(hello) == hello
    assert watch.feed(b"anything, it is encrypted") == b"anything, it is encrypted"


def test_a_hello_that_comes_byte_by_byte_is_held_until_it_is_whole() -> None:
    watch, hello = TlsWatch("api.example.org"), _hello("API.example.org")
    passed = [watch.feed(hello[at : at + 1]) for at in range(len(hello))]
    assert passed[:-1] == [b""] * (len(hello) - 1)
    assert passed[-1] == hello


def test_a_hello_spread_over_records_is_read_as_one() -> None:
    hello = _made(_names(b"api.example.org"), records=7)
    assert TlsWatch("api.example.org").feed(hello) == hello


def test_an_address_needs_no_name() -> None:
    hello = _hello(None)
    assert TlsWatch("93.184.216.34").feed(hello) == hello


@pytest.mark.parametrize(
    "hello",
    [
        _made(_names(b"evil.test")), _made(b""), _made(_names(b"api.example.org", b"evil.test")), _made(_names(b"")),
        _made(_names(b"api.example.org") + _names(b"evil.test")), _made(_names(b"api.example.org.evil.test")),
        _made(_names(b"\xff\xfe")), _made(_names(b"api.example.org\0.evil.test")),
        _made(_names(b"api.example.org") + _extension(0xFE0D, b"hidden")), b"GET / HTTP/1.1\r\n", b"\x17\3\3\0\1x",
        b"\x16\2\0\0\1x", b"\x16\3\1\0\0", b"\x16\3\1\xff\xff", b"\x16\3\1\0\5\2\0\0\1x", b"\x80\x2e\1\3\1",
        _made(b"")[:-2] + b"\xff\xff", _made(_names(b"api.example.org"))[:9] + b"\0\0\1" + b"x" * 90,
    ],
)  # fmt: skip
def test_everything_else_is_refused(hello: bytes) -> None:
    with pytest.raises(Blocked):
        TlsWatch("api.example.org").feed(hello)


def test_a_hello_without_end_is_refused() -> None:
    first = b"\x16\3\1\x40\0" + b"\1\xff\xff\xff" + b"x" * 16380
    more = b"\x16\3\1\x40\0\1" + b"x" * 16383
    with pytest.raises(Blocked, match="too long"):
        TlsWatch("api.example.org").feed(first + more * 4)


@given(st.lists(st.binary(max_size=80), max_size=5), st.booleans())
def test_nothing_passes_that_is_no_hello_for_the_host(pieces: list[bytes], begins: bool) -> None:
    watch = TlsWatch("api.example.org")
    try:
        passed = b"".join(watch.feed(piece) for piece in ([b"\x16\3\1"] if begins else []) + pieces)
    except Blocked:
        return
    assert b"api.example.org" in passed.lower() or passed == b""


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_changed_byte_never_lets_another_name_pass(at: int, value: int) -> None:
    hello = bytearray(_made(_names(b"evil.example.org")))
    hello[at % len(hello)] = value
    try:
        assert TlsWatch("api.example.org").feed(bytes(hello)) == b""
    except Blocked:
        return
