"""Each failure of an HTTP server has its error message, and long text of a hostile server is shortened."""

from __future__ import annotations

import errno
import socket
import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.sdk_adapter.http_errors import broken, error_text, is_error, status, unreachable

URL = "https://user:word@example.org:8443/mcp?key=value"


def caused(cause: BaseException) -> BaseException:
    fault = RuntimeError("wrapped")
    fault.__cause__ = ExceptionGroup("attempts", [OSError("x"), cause]) if isinstance(cause, OSError) else cause
    return fault


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "name example.org:8443 was not found"),
        (OSError(errno.ECONNREFUSED, "refused"), "example.org:8443 refused the connection"),
        (ssl.SSLCertVerificationError(1, "bad"), "certificate of example.org:8443 is not trusted"),
        (ssl.SSLError(1, "wrong version number"), "No TLS connection"),
        (ValueError("odd"), "cannot be reached"),
    ],
)
def test_the_step_that_failed_is_named(cause: BaseException, words: str) -> None:
    found = unreachable(URL, caused(cause))
    assert words in found.message
    assert "word" not in f"{found.message}{found.hint}".replace("words", "")


@pytest.mark.parametrize("number", [400, 401, 403, 404, 405, 418, 429, 500, 503])
def test_each_status_is_a_sentence_with_its_number(number: int) -> None:
    found = status(number, URL, "because")
    assert f"({number})" in found.message
    assert found.message.endswith("because")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"plain words", "plain words"),
        (b"<html><body>no</body></html>", ""),
        (b'{"error": "invalid_token", "error_description": "It is old."}', "It is old."),
        (b'{"error": {"message": "inner"}}', "inner"),
        (b"[1]", ""),
        (b"[" * 100_000, None),
    ],
)
def test_the_server_s_own_words_are_found(body: bytes, words: str | None) -> None:
    found = error_text(body)
    assert len(found) <= 300
    if words is not None:
        assert found == words


@given(st.binary(max_size=300))
def test_no_body_whatever_raises(body: bytes) -> None:
    error_text(body)
    assert not is_error(body)
    broken(ValueError(body.decode("latin-1")))


def test_only_a_json_rpc_error_is_one() -> None:
    assert is_error(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32022, "message": "no"}}')
    assert not is_error(b'{"jsonrpc": "2.0", "id": 1, "result": {}}')
    assert not is_error(b'{"jsonrpc": "2.0", "error": {"code": "x", "message": "no"}}')
