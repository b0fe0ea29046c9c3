"""Egress filter for open connections: TLS and plain HTTP may name only the host that was allowed.

The first byte decides the protocol. For TLS, only the client hello is read; nothing is decrypted. One HTTP connection
may carry many requests, so each request head is held until it was checked, and body lengths are computed as the
strictest server would. Input that servers could interpret in two ways is refused.
"""

from __future__ import annotations

import re
from collections.abc import Set

from workbench.analysis.host_names import host_name, is_address
from workbench.errors import WorkbenchError
from workbench.network.network_errors import Blocked

HANDSHAKE = 22  # content type of a TLS handshake record, the first byte of every TLS connection
_LONGEST_RECORD = 1 << 14
_LONGEST_HELLO = 1 << 16  # bytes within which the client hello must be complete
_CLIENT_HELLO = 1
_SERVER_NAME = 0
_HIDDEN_NAME = (0xFE0D,)  # encrypted client hello: its real host name cannot be read


class TlsWatch:
    """Holds data until it contains a complete client hello for this host. Then passes everything through."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._held = bytearray()
        self._said = False

    def feed(self, data: bytes) -> bytes:
        """Return the bytes that may be sent now. Raises Blocked if they are not TLS or name a different host."""
        if self._said:
            return data
        self._held += data
        hello = _hello(bytes(self._held))
        if hello is None:
            if len(self._held) > _LONGEST_HELLO:
                raise Blocked("The TLS client hello is too long.")
            return b""
        self._check(_names(hello))
        self._said = True
        return bytes(self._held)

    def _check(self, names: list[bytes]) -> None:
        if not names and is_address(self._host):
            return  # a host given as an address needs no server name
        if len(names) != 1:
            raise Blocked(f"The TLS client hello does not name exactly one host; it must name {self._host}.")
        try:
            name = host_name(names[0].decode("ascii"))
        except (UnicodeDecodeError, WorkbenchError):
            name = ""
        if name != self._host:
            raise Blocked(f"The TLS client hello names a host other than {self._host}.")


class _ByteReader:
    """Reads fields from the front of a byte string. Raises Blocked if too few bytes are left."""

    def __init__(self, data: bytes) -> None:
        self.left = data

    def take(self, size: int) -> bytes:
        if len(self.left) < size:
            raise Blocked("The TLS client hello is malformed.")
        taken, self.left = self.left[:size], self.left[size:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        return self.take(self.number(size))


def _hello(data: bytes) -> bytes | None:
    """Body of the client hello, reassembled from TLS records. None if incomplete."""
    message, at = b"", 0
    while len(data) - at >= 5:
        kind, major, length = data[at], data[at + 1], int.from_bytes(data[at + 3 : at + 5], "big")
        if kind != HANDSHAKE or major != 3 or not 0 < length <= _LONGEST_RECORD:
            raise Blocked("The connection does not use TLS.")
        message += data[at + 5 : at + 5 + length]
        if message[0] != _CLIENT_HELLO if message else False:
            raise Blocked("The connection does not begin with a TLS client hello.")
        if len(message) >= 4 and len(message) - 4 >= (whole := int.from_bytes(message[1:4], "big")):
            return message[4 : 4 + whole]
        at += 5 + length
    if data and data[0] != HANDSHAKE:
        raise Blocked("The connection does not use TLS.")
    return None


def _names(hello: bytes) -> list[bytes]:
    """Host names in the client hello's server name extension."""
    words = _ByteReader(hello)
    words.take(2 + 32)
    words.vector(1)
    words.vector(2)
    words.vector(1)
    extensions = _ByteReader(words.vector(2)) if words.left else _ByteReader(b"")
    names: list[bytes] = []
    while extensions.left:
        kind, body = extensions.number(2), extensions.vector(2)
        if kind in _HIDDEN_NAME:
            raise Blocked("The TLS client hello encrypts the host name, so it cannot be checked.")
        if kind == _SERVER_NAME:
            listed = _ByteReader(_ByteReader(body).vector(2))
            while listed.left:
                listed.take(1)
                names.append(listed.vector(2))
    return names


_LONGEST_HEAD = 1 << 16
_LONGEST_LINE = 1 << 10  # bytes of a chunk-size line
_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}"
_REQUEST = re.compile(rb"(" + _TOKEN + rb") ([!-~\x80-\xff]{1,32768}) HTTP/1\.[01]\Z")
_FIELD = re.compile(rb"(" + _TOKEN + rb"):[ \t]*([^\x00\r\n]*)\Z")
_ABSOLUTE = re.compile(rb"http://([^/?#@]{1,300})(?:[/?]|\Z)", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})(?:[ \t]*;[^\r\n]*)?\r\n\Z")
_DIGITS = re.compile(rb"[0-9]{1,15}\Z")


class HttpWatch:
    """Passes HTTP requests for this host and port; blocks everything else."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._held = b""
        self._body = 0  # remaining bytes of a body or chunk, which pass unchecked
        self._next = self._head

    def feed(self, data: bytes) -> bytes:
        """Return the bytes that may be sent now. Raises Blocked if they are not HTTP for this host."""
        self._held += data
        passed = b""
        while self._held:
            if self._body:
                piece, self._held = self._held[: self._body], self._held[self._body :]
                self._body -= len(piece)
            elif not (piece := self._next()):
                break
            passed += piece
        return passed

    def _cut(self, end: bytes, most: int) -> bytes:
        """Take everything up to and including an end mark. Returns b"" if the mark has not arrived."""
        at = self._held.find(end, 0, most)
        if at < 0:
            if len(self._held) >= most:
                raise Blocked("A header, chunk size or trailer of the HTTP request is too long.")
            return b""
        piece, self._held = self._held[: at + len(end)], self._held[at + len(end) :]
        return piece

    def _head(self) -> bytes:
        if not (head := self._cut(b"\r\n\r\n", _LONGEST_HEAD)):
            if not _could_be_request(self._held):
                raise Blocked("The connection does not use HTTP.")
            return b""
        first, *lines = head[:-4].split(b"\r\n")
        request = _REQUEST.match(first)
        if request is None or request[1] == b"CONNECT":
            raise Blocked("The connection does not send valid HTTP requests; CONNECT is not allowed.")
        self._check_target(request[2])
        fields = [_field(line) for line in lines]
        self._check_host(fields)
        if head.startswith(b"HTTP/1.0", len(first) - 8) and any(name == b"transfer-encoding" for name, _ in fields):
            raise Blocked("The length of the HTTP request is ambiguous.")  # HTTP/1.0 has no chunked encoding
        self._expect_body(fields)
        return head

    def _check_target(self, target: bytes) -> None:
        if target.startswith(b"/") or target == b"*":
            return
        absolute = _ABSOLUTE.match(target)
        if absolute is None or not self._means_us(absolute[1]):
            raise Blocked(f"The HTTP request targets a host other than {self._host}.")

    def _check_host(self, fields: list[tuple[bytes, bytes]]) -> None:
        named = [value for name, value in fields if name == b"host"]
        if len(named) != 1 or not self._means_us(named[0]):
            raise Blocked(f"The HTTP request does not have exactly one Host header that names {self._host}.")
        if any(name == b"upgrade" for name, _ in fields):
            raise Blocked("The HTTP request asks to switch to another protocol; only a rule for tcp allows that.")

    def _means_us(self, words: bytes) -> bool:
        name, colon, port = words.rpartition(b":")
        if not colon or (words.startswith(b"[") and words.endswith(b"]")):
            name, port = words, str(self._port).encode()
        try:
            return _DIGITS.match(port) is not None and int(port) == self._port and self._is_host(name)
        except (UnicodeDecodeError, WorkbenchError):
            return False

    def _is_host(self, name: bytes) -> bool:
        return host_name(name.decode("ascii")) == self._host

    def _expect_body(self, fields: list[tuple[bytes, bytes]]) -> None:
        lengths = [value for name, value in fields if name == b"content-length"]
        codings = [value for name, value in fields if name == b"transfer-encoding"]
        if len(lengths) + len(codings) > 1 or any(value.lower() != b"chunked" for value in codings):
            raise Blocked("The length of the HTTP request is ambiguous.")
        if lengths:
            if not _DIGITS.match(lengths[0]):
                raise Blocked("The Content-Length of the HTTP request is not a number.")
            self._body = int(lengths[0])
        self._next = self._size if codings else self._head

    def _size(self) -> bytes:
        """Read the size line of a chunk."""
        line = self._cut(b"\r\n", _LONGEST_LINE)
        if not line:
            return b""
        found = _SIZE.match(line)
        if found is None:
            raise Blocked("A chunk of the HTTP request has no valid size.")
        self._body = int(found[1], 16)
        self._next = self._after_chunk if self._body else self._trailer
        return line

    def _after_chunk(self) -> bytes:
        if len(self._held) < 2:
            return b""
        if self._held[:2] != b"\r\n":
            raise Blocked("A chunk of the HTTP request is longer than its size.")
        self._held, self._next = self._held[2:], self._size
        return b"\r\n"

    def _trailer(self) -> bytes:
        line = self._cut(b"\r\n", _LONGEST_HEAD)
        if line == b"\r\n":
            self._next = self._head
        elif line:
            _field(line[:-2])
        return line


def _could_be_request(data: bytes) -> bool:
    """Whether an incomplete request head can be HTTP.

    Other protocols are blocked at once instead of waiting for more.
    """
    return re.match(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}(?:\Z| )", data) is not None


def _field(line: bytes) -> tuple[bytes, bytes]:
    found = _FIELD.match(line)
    if found is None:
        raise Blocked("A header of the HTTP request is malformed or ambiguous.")
    return found[1].lower(), found[2].rstrip(b" \t")


class Watch:
    """Filters the bytes that a program sends. `protocol` is set after the first byte."""

    def __init__(self, host: str, port: int, allowed: Set[str]) -> None:
        self._host = host
        self._port = port
        self._allowed = allowed
        self._inner: TlsWatch | HttpWatch | None = None
        self.protocol = "tcp" if "tcp" in allowed else ""

    def feed(self, data: bytes) -> bytes:
        """Return the bytes that may be sent now."""
        if self.protocol == "tcp":
            return data
        if self._inner is None:
            self._inner = self._chosen(data[0])
        return self._inner.feed(data)

    def _chosen(self, first: int) -> TlsWatch | HttpWatch:
        self.protocol = "tls" if first == HANDSHAKE else "http"
        if self.protocol not in self._allowed:
            wanted = " or ".join(sorted(self._allowed))
            raise Blocked(
                f"{self._host}:{self._port} is allowed for {wanted} only, but the connection uses another protocol."
            )
        return TlsWatch(self._host) if self.protocol == "tls" else HttpWatch(self._host, self._port)
