"""Servers with TLS: a certificate trusted through SSL_CERT_FILE works, any other gives an error message with the
reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, ServerStatus
from workbench.settings import Settings

QUICK = Settings(server_start_seconds=20)


@dataclass
class Case:
    """A certificate, whether it is trusted, and the expected error message."""

    days: int
    host: str
    trusted: bool
    words: str
    hint: str


BAD = [
    Case(30, "127.0.0.1", trusted=False, words="certificate .* not trusted: self", hint="SSL_CERT_FILE"),
    Case(-1, "127.0.0.1", trusted=True, words="certificate .* expired", hint="to renew the certificate"),
    Case(
        30,
        "elsewhere.example",
        trusted=True,
        words="certificate .* mismatch",
        hint="an address that the certificate contains",
    ),
]


def trust(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Trust the certificates of this file, like a user who sets SSL_CERT_FILE."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)


@pytest.mark.parametrize("kind", ["json", "old"])
async def test_a_certificate_that_ssl_cert_file_vouches_for_is_taken(
    house: Any, far: Any, certified: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    pair = certified()
    trust(monkeypatch, pair.public)
    server = await far(kind, pair.context)
    home = await house(ServerConfig("far", url=server.url), settings=QUICK)
    assert (await home.catalog.connect("far")).status is ServerStatus.READY
    assert (await home.call("far", "echo", text="unseen")).content[0].text == "unseen"
    assert server.url.startswith("https://")


@pytest.mark.parametrize("case", BAD, ids=["untrusted", "expired", "of another name"])
async def test_any_other_is_a_sentence_and_nothing_is_sent(
    house: Any, far: Any, certified: Any, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    pair, other = certified(case.days, case.host), certified()
    trust(monkeypatch, pair.public if case.trusted else other.public)
    server = await far("json", pair.context)
    home = await house(ServerConfig("far", url=server.url), settings=QUICK)
    with pytest.raises(WorkbenchError, match=case.words) as raised:
        await home.catalog.connect("far")
    assert case.hint in raised.value.hint
    assert server.seen == []
