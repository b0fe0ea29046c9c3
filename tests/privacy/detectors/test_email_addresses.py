"""E-mail addresses are found whole, file names and logins are not."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.email_addresses import find_email_addresses, is_email_address


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_email_addresses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to rosa@example.com today", "rosa@example.com"),
        ("<Rosa.Lund+tag@mail.example.co.uk>", "Rosa.Lund+tag@mail.example.co.uk"),
        ("mailto:bo@x.io?subject=hi", "bo@x.io"),
        ("('a_b%c@sub-domain.example.museum')", "a_b%c@sub-domain.example.museum"),
        ("jürgen@müller.de", "jürgen@müller.de"),
        ('"very odd"@example.org', '"very odd"@example.org'),
        ("rosa@example.com.", "rosa@example.com"),
        ("rosa@example.com.2024", "rosa@example.com"),
        ("a@b.co", "a@b.co"),
        ("x@xn--bcher-kva.example", "x@xn--bcher-kva.example"),
        ("path/rosa@example.com/inbox", "path/rosa@example.com"),
        ("{'e':'q@w.de'}", "q@w.de"),
        ("ROSA@EXAMPLE.COM_backup", "ROSA@EXAMPLE.COM"),
    ],
)
def test_e_mail_addresses_are_found(text: str, expected: str) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "@decorator",
        "icon@2x.png",
        "git@github.com:owner/repo.git",
        "pkg@1.2.3",
        "a @ b.com",
        "user@localhost",
        "price @ 3.50",
        "@@@@",
        "x@.com",
        "systemd-user@1000.service",
    ],
)
def test_what_only_looks_like_an_address_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("value", "whole"), [("root@localhost", True), ("a@b", True), ("@b", False), ("a@", False), ("none", False)]
)
def test_a_value_under_an_e_mail_key_may_be_odd(value: str, whole: bool) -> None:
    assert is_email_address(value) is whole
