"""Hosts have one spelling; what could be read as two hosts is refused."""

from __future__ import annotations

import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.host_names import covers, host_name, is_address, place, protocols_for, split_place
from workbench.errors import WorkbenchError
from workbench.records import HostRule


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("API.Example.ORG", "api.example.org"),
        ("api.example.org.", "api.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("ｅｘａｍｐｌｅ.org", "example.org"),
        ("example。org", "example.org"),
        ("93.184.216.34", "93.184.216.34"),
        ("２１３.１.１.１", "213.1.1.1"),
        ("[2606:4700::1111]", "2606:4700::1111"),
        ("2606:4700:0:0:0:0:0:1111", "2606:4700::1111"),
        ("_dmarc.example.org", "_dmarc.example.org"),
        ("api\u2024example.org", "api.example.org"),
    ],
)
def test_every_spelling_of_a_host_becomes_one(written: str, name: str) -> None:
    assert host_name(written) == name


@pytest.mark.parametrize(
    "trick",
    [
        "", " ", "2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.0x1", "1.2.3.256", "1.2.3.04",
        "example.org:443", "user@example.org", "example.org/", "example.org\x00.evil.test", "example.org%00", "a..b",
        ".example.org", "example.org..", "-a.org", "a-.org", "fe80::1%eth0", "[::1", "::1]", "[[::1]]", "[1.2.3.4]",
        "exa mple.org", "example.org\n", "faß.de", "a\u200db.org", "a" * 64 + ".org", "a." * 130 + "org",
        "*.example.org",
        "0x", "1", "１.", "example.０x7f", "⑴.example", "\ud800.org", "::ffff:1.2.3.4.5",
    ],
)  # fmt: skip
def test_a_trick_with_a_spelling_is_refused(trick: str) -> None:
    with pytest.raises(WorkbenchError):
        host_name(trick)


@given(st.text(max_size=300))
def test_whatever_is_written_is_refused_or_has_one_spelling(text: str) -> None:
    try:
        name = host_name(text)
    except WorkbenchError:
        return
    assert name == host_name(name) == host_name(name.upper())
    assert name.isascii()
    assert not set(name) & set("/@%\\ []*")
    if is_address(name):
        ipaddress.ip_address(name)


@given(st.from_regex(r"(0[xX])?[0-9a-fA-F.]{1,20}", fullmatch=True))
def test_what_the_system_would_read_as_an_address_is_one_here_or_refused(text: str) -> None:
    try:
        name = host_name(text)
    except WorkbenchError:
        return
    try:
        meant = socket.inet_ntoa(socket.inet_aton(text))
    except OSError:
        return
    assert name == meant


@pytest.mark.parametrize(
    ("domain", "host", "answer"),
    [
        ("example.org", "example.org", True),
        ("example.org", "api.example.org", False),
        ("*.example.org", "api.example.org", True),
        ("*.example.org", "a.b.example.org", True),
        ("*.example.org", "example.org", False),
        ("*.example.org", "evilexample.org", False),
        ("*.example.org", "example.org.evil.test", False),
    ],
)
def test_a_domain_covers_what_it_says(domain: str, host: str, answer: bool) -> None:
    assert covers(domain, host) is answer


def test_the_rules_of_a_host_and_port_say_what_may_be_spoken() -> None:
    rules = [HostRule("*.example.org", (443, 80), ("tls", "http")), HostRule("db.example.org", (5432,), ("tcp",))]
    assert protocols_for(rules, "db.example.org", 5432) == {"tcp"}
    assert protocols_for(rules, "db.example.org", 443) == {"tls", "http"}
    assert protocols_for(rules, "db.example.org", 22) == frozenset()


@pytest.mark.parametrize("word", ["api.example.org:443", "[2606:4700::1111]:80"])
def test_a_place_goes_and_comes_back(word: str) -> None:
    assert place(*split_place(word)) == word


@pytest.mark.parametrize(
    "word", ["example.org", "example.org:", "example.org:0", "example.org:65536", ":443", "a.b:４"]
)
def test_a_word_that_is_no_place_is_refused(word: str) -> None:
    with pytest.raises(WorkbenchError):
        split_place(word)
