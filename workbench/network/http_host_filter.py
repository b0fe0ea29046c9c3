"""Reads plain HTTP requests on their way out: each must name the host that was allowed.

One connection may carry many requests, so each head is held back until it was read, and bodies are counted as strictly
as the strictest server would. What could be read in two ways is refused.
"""

from __future__ import annotations

import re

from workbench.analysis.host_names import host_name
from workbench.errors import WorkbenchError
from workbench.network.network_errors import Blocked

_LONGEST_HEAD = 1 << 16
_LONGEST_LINE = 1 << 10  # of a chunk's size
_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}"
_REQUEST = re.compile(rb"(" + _TOKEN + rb") ([!-~\x80-\xff]{1,32768}) HTTP/1\.[01]\Z")
_FIELD = re.compile(rb"(" + _TOKEN + rb"):[ \t]*([^\x00\r\n]*)\Z")
_ABSOLUTE = re.compile(rb"http://([^/?#@]{1,300})(?:[/?]|\Z)", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})(?:[ \t]*;[^\r\n]*)?\r\n\Z")
_DIGITS = re.compile(rb"[0-9]{1,15}\Z")


class HttpWatch:
    """Lets requests for this host and port pass, and nothing else."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._held = b""
        self._body = 0  # bytes of a body, or of a chunk, that may pass unread
        self._next = self._head

    def feed(self, data: bytes) -> bytes:
        """What may go on now; Blocked: it is no HTTP for this host."""
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
        """Everything up to an end mark; nothing while it is not there."""
        at = self._held.find(end, 0, most)
        if at < 0:
            if len(self._held) >= most:
                raise Blocked("A head of HTTP that is too long.")
            return b""
        piece, self._held = self._held[: at + len(end)], self._held[at + len(end) :]
        return piece

    def _head(self) -> bytes:
        if not (head := self._cut(b"\r\n\r\n", _LONGEST_HEAD)):
            if not _could_be_request(self._held):
                raise Blocked("It does not speak HTTP.")
            return b""
        first, *lines = head[:-4].split(b"\r\n")
        request = _REQUEST.match(first)
        if request is None or request[1] == b"CONNECT":
            raise Blocked("It does not speak HTTP as a client does.")
        self._check_target(request[2])
        fields = [_field(line) for line in lines]
        self._check_host(fields)
        if head.startswith(b"HTTP/1.0", len(first) - 8) and any(name == b"transfer-encoding" for name, _ in fields):
            raise Blocked("A request whose length can be read in two ways.")  # chunks are unknown to HTTP/1.0
        self._expect_body(fields)
        return head

    def _check_target(self, target: bytes) -> None:
        if target.startswith(b"/") or target == b"*":
            return
        absolute = _ABSOLUTE.match(target)
        if absolute is None or not self._means_us(absolute[1]):
            raise Blocked(f"A request for another host than {self._host}.")

    def _check_host(self, fields: list[tuple[bytes, bytes]]) -> None:
        named = [value for name, value in fields if name == b"host"]
        if len(named) != 1 or not self._means_us(named[0]):
            raise Blocked(f"A request that names another host than {self._host}.")
        if any(name == b"upgrade" for name, _ in fields):
            raise Blocked("A request to leave HTTP; a rule for tcp would allow it.")

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
            raise Blocked("A request whose length can be read in two ways.")
        if lengths:
            if not _DIGITS.match(lengths[0]):
                raise Blocked("A request whose length is no number.")
            self._body = int(lengths[0])
        self._next = self._size if codings else self._head

    def _size(self) -> bytes:
        """The line before a chunk."""
        line = self._cut(b"\r\n", _LONGEST_LINE)
        if not line:
            return b""
        found = _SIZE.match(line)
        if found is None:
            raise Blocked("A chunk of HTTP without its size.")
        self._body = int(found[1], 16)
        self._next = self._after_chunk if self._body else self._trailer
        return line

    def _after_chunk(self) -> bytes:
        if len(self._held) < 2:
            return b""
        if self._held[:2] != b"\r\n":
            raise Blocked("A chunk of HTTP that does not end.")
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
    """While a head is not whole: its first line must look like one, so that nothing else is waited for."""
    return re.match(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}(?:\Z| )", data) is not None


def _field(line: bytes) -> tuple[bytes, bytes]:
    found = _FIELD.match(line)
    if found is None:
        raise Blocked("A head of HTTP that can be read in two ways.")
    return found[1].lower(), found[2].rstrip(b" \t")
