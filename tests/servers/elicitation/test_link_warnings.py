"""URLs of elicitation requests: the shown address is the one that is opened, and misleading forms get a warning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.elicitation.link_warnings import look


def words(url: str) -> str:
    return " ".join(look(url).warnings)


def test_a_plain_address_is_shown_as_it_is():
    found = look("https://accounts.example.org:443/sign?in=1#x")
    assert (found.host, found.shown, found.warnings) == ("accounts.example.org", "", ())
    assert found.url == "https://accounts.example.org:443/sign?in=1#x"


def test_letters_of_other_scripts_are_shown_both_ways():
    found = look("https://аpple.com/login")  # the first letter is Cyrillic
    assert (found.host, found.shown) == ("xn--pple-43d.com", "аpple.com")
    assert found.url == "https://xn--pple-43d.com/login"
    assert "mixes letters of different scripts" in " ".join(found.warnings)
    assert look("https://xn--pple-43d.com").shown == "аpple.com"
    assert "look like a to z" in words("https://аррӏе.com".replace("ӏ", "і"))
    assert "look like" not in words("https://bücher.example")
    assert look("https://bücher.example").host == "xn--bcher-kva.example"


def test_what_stands_before_the_at_is_named_as_what_it_is():
    found = look("https://github.com@evil.example/login")
    assert found.host == "evil.example"
    assert found.warnings[0].startswith("The part before the @ (github.com)")


def test_hosts_that_are_numbers_or_lie_in_a_private_network_are_named():
    assert "an IP address instead of a name" in words("https://93.184.216.34/")
    assert "disguised IP address" in words("http://2130706433/")
    assert "disguised IP address" in words("https://0x7f.1/")
    assert "private network" in words("http://192.168.0.1/setup")
    assert "this machine" in words("http://[::1]:8000/")
    assert "this machine" in words("http://localhost:3000/x")


def test_a_host_that_begins_like_another_is_named():
    assert "belongs to evil.example" in words("https://github.com.login.evil.example/")
    assert words("https://login.github.com/") == ""


def test_an_open_connection_and_an_odd_port_are_named():
    assert words("http://example.org:8080/") == "The connection is not encrypted (http). It uses the unusual port 8080."


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "file:///etc/passwd", "ftp://example.org", "https://", "https://exa mple.org",
        "https://example.org\\@evil.example", "https://example.org\u202e/", "https://faß.de", "https://ex%61mple.org",
        "https://example.org:99999/", "https://[fe80::1", "https://-.org", "x", "https://a" + "b" * 5000 + ".org",
    ],
)  # fmt: skip
def test_what_two_readers_could_read_differently_is_refused(url):
    with pytest.raises(ValueError, match=r"^The (address|host) .*\.$|^Only http"):
        look(url)


@given(st.text(max_size=60), st.text(max_size=20))
def test_whatever_is_found_is_plain_letters(host, rest):
    try:
        found = look(f"https://{host}/{rest}")
    except ValueError:
        return
    assert found.url.isascii()
    assert found.host.isascii()
    assert found.host in found.url
