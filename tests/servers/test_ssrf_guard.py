"""Every spelling of an address of this machine is recognized as one."""

from __future__ import annotations

import pytest

from workbench.servers.ssrf_guard import is_local_host, may_request

NAMES = ("localhost", "LOCALHOST", "localhost.", "a.localhost")
FOUR = ("127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0.0.0.0", "169.254.169.254")
SIX = ("::1", "::", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0")


@pytest.mark.parametrize("host", [*NAMES, *FOUR, *SIX])
def test_every_spelling_of_this_machine_is_known(host: str) -> None:
    assert is_local_host(host)


@pytest.mark.parametrize("host", ["example.com", "127.0.0.1.example.com", "1.example", "8.8.8.8", "localhost.example"])
def test_other_machines_are_not_taken_for_it(host: str) -> None:
    assert not is_local_host(host)


@pytest.mark.parametrize(
    "url",
    [
        "http://login.example/",
        "https://u:p@login.example/",
        "https://[::ffff:127.0.0.1]/",
        "https://127.1/",
        "https://localhost./",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "http://[",
        "https://x:99999/",
    ],
)
def test_a_server_elsewhere_cannot_make_us_ask_this(url: str) -> None:
    assert not may_request(url, "https://far.example/mcp")


def test_a_server_on_this_machine_may_have_its_neighbours_asked_and_any_its_own_origin() -> None:
    assert may_request("http://localhost:9/", "http://127.0.0.1:8/mcp")
    assert may_request("http://10.0.0.5:8/a", "http://10.0.0.5:8/mcp")
    assert not may_request("http://10.0.0.5:9/a", "http://10.0.0.5:8/mcp")
    assert may_request("https://login.example/a", "https://far.example/mcp")
