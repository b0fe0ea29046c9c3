"""The address of a page is trimmed to its host, and what is no such address is left for the rules to refuse."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.network.host_rules import host_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("api.example.org", ("api.example.org", ())),
        (" https://api.example.org/v1/users?a=b#c ", ("api.example.org", ())),
        ("HTTPS://api.example.org", ("api.example.org", ())),
        ("https://api.example.org:8443/", ("api.example.org", (8443,))),
        ("api.example.org:8443", ("api.example.org", (8443,))),
        ("api.example.org/v1", ("api.example.org", ())),
        ("https://[2606:4700::1111]:443/", ("[2606:4700::1111]", (443,))),
        ("*.example.org", ("*.example.org", ())),
    ],
)
def test_an_address_is_trimmed_to_its_host(text: str, found: tuple[str, tuple[int, ...]]) -> None:
    assert host_in(text, ["tls"]) == found


@pytest.mark.parametrize(
    "text",
    [
        "https://api.example.org@evil.test/",
        "ftp://api.example.org",
        "https://a.test\\@b.test/",
        "a:b:c",
        "x://https://a.b",
    ],
)
def test_what_could_be_read_as_two_hosts_is_left_as_it_is_and_refused(text: str) -> None:
    assert host_in(text, ["tls"]) == (text, ())


def test_an_address_that_speaks_what_is_not_chosen_opens_nothing() -> None:
    with pytest.raises(WorkbenchError, match="plain HTTP, which is not selected"):
        host_in("http://api.example.org/", ["tls"])
    assert host_in("http://api.example.org/", ["http"]) == ("api.example.org", ())
