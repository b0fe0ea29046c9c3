"""What the analyzer says of the network where places are open, or could be opened."""

from __future__ import annotations

import pytest

from workbench.analysis.reading import assess
from workbench.records import EffectKind, Gate, HostRule, Risk

OPEN = HostRule("api.example.org", (443,), ("tls",))
GET = 'import urllib.request\nurllib.request.urlopen("https://api.example.org/a").read()\n'


def test_without_a_word_on_the_network_everything_stays_refused() -> None:
    verdict = assess(GET, ())
    assert (verdict.gate, verdict.hosts) == (Gate.REFUSED, ())


def test_a_named_host_becomes_a_persons_decision() -> None:
    verdict = assess(GET, (), ())
    assert (verdict.gate, verdict.risk, verdict.hosts) == (Gate.ASK, Risk.HIGH, ("api.example.org:443",))
    assert verdict.sentence == "Contacts api.example.org:443, if you allow it for this run."


def test_a_host_that_a_rule_opens_will_be_reached() -> None:
    verdict = assess(GET, (), (OPEN,))
    assert (verdict.gate, verdict.risk, verdict.hosts) == (Gate.ASK, Risk.MEDIUM, ())
    effects = {effect.text: effect.kind for effect in verdict.effects}
    assert effects["Will connect to api.example.org:443, which is allowed"] is EffectKind.WILL


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ('import http.client as h\nc = h.HTTPSConnection("a.example.org")\nc.request("GET", "/")', "a.example.org:443"),
        ('import http.client\nc = http.client.HTTPConnection("a.example.org", 8080)', "a.example.org:8080"),
        ('import socket\ns = socket.create_connection(("a.example.org", 5432))\ns.sendall(b"x")', "a.example.org:5432"),
        ('import socket\ns = socket.socket()\ns.connect(("a.example.org", 22))', "a.example.org:22"),
        ('import asyncio\nr, w = await asyncio.open_connection("a.example.org", 80)', "a.example.org:80"),
        ('import urllib.request as u\nu.urlopen("http://A.example.org:81/x?y=http://b.test")', "a.example.org:81"),
        ('import urllib.request as u\nu.urlopen(f"https://a.example.org/{input()}")', "a.example.org:443"),
    ],
)  # fmt: skip
def test_host_and_port_are_read_where_they_stand(code: str, where: str) -> None:
    assert assess(code, (), ()).hosts == (where,)


@pytest.mark.parametrize(
    "code",
    [
        "import urllib.request as u\nu.urlopen(input())",
        'import urllib.request as u\nu.urlopen(f"https://{input()}/x")',
        'import urllib.request as u\nu.urlopen(f"https://a.example.org{input()}/x")',
        'import urllib.request as u\nu.urlopen("http://169.254.169.254/")',
        'import urllib.request as u\nu.urlopen("http://2130706433/")',
        'import urllib.request as u\nu.urlopen("http://localhost:8080/")',
        'import urllib.request as u\nu.urlopen("https://a.example.org:99999/")',
        'import socket\nsocket.create_connection(("a.example.org", port))',
        'import requests\nrequests.get("https://a.example.org/")',
        'import os, urllib.request as u\nos.system("ls")\nu.urlopen("https://a.example.org/")',
    ],
)
def test_what_nobody_can_open_stays_refused(code: str) -> None:
    verdict = assess(code, (), ())
    assert (verdict.gate, verdict.hosts) == (Gate.REFUSED, ())


def test_a_host_known_at_run_time_only_asks_where_some_place_is_open() -> None:
    verdict = assess("import urllib.request as u\nu.urlopen(input())", (), (OPEN,))
    assert (verdict.gate, verdict.risk, verdict.hosts) == (Gate.ASK, Risk.HIGH, ())
    assert "allowed hosts can be reached, others are refused" in verdict.sentence


def test_a_secret_and_an_open_way_out_are_critical_and_no_longer_refused() -> None:
    code = 'import os, urllib.request as u\nkey = os.environ["API_KEY"]\nu.urlopen("https://a.example.org/?" + key)'
    verdict = assess(code, (), ())
    assert (verdict.gate, verdict.risk) == (Gate.ASK, Risk.CRITICAL)
    assert "flow.sensitive" in {finding.rule for finding in verdict.findings}
    assert assess(code, ()).gate is Gate.ASK or assess(code, ()).gate is Gate.REFUSED
