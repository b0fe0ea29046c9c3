"""Rules are read with distrust: what is wrong is told, and opens nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.network.host_rules import denial, entry_of, fingerprint, merged, read_rules, rule_of
from workbench.records import HostRule


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_there_is_nothing_and_nothing_is_closed(tmp_path: Path) -> None:
    found = read_rules(tmp_path / "missing.toml", "you")
    assert (found.hosts, found.denied, found.notices, found.closed) == ([], [], [], "")


def test_entries_are_read_in_their_one_spelling(tmp_path: Path) -> None:
    text = """
    [network]
    deny = ["203.0.113.77/24", "Ads.Example.org", "2001:DB8::/32"]
    [[network.allow]]
    domain = "API.Example.org."
    [[network.allow]]
    domain = "*.example.net"
    ports = [8443, 443, 443]
    protocols = ["https", "http"]
    [[network.allow]]
    domain = "db.example.net"
    ports = [5432]
    protocols = ["tcp"]
    """
    found = read_rules(_file(tmp_path, text), "you")
    assert [(rule.domain, rule.ports, rule.protocols) for rule in found.hosts] == [
        ("api.example.org", (443,), ("tls",)),
        ("*.example.net", (443, 8443), ("tls", "http")),
        ("db.example.net", (5432,), ("tcp",)),
    ]
    assert found.denied == ["203.0.113.0/24", "ads.example.org", "2001:db8::/32"]
    assert all(rule.accepted and rule.source == "you" for rule in found.hosts)
    assert not found.notices
    assert not found.closed


def test_a_projects_entry_is_an_offer(tmp_path: Path) -> None:
    found = read_rules(_file(tmp_path, '[[network.allow]]\ndomain = "example.org"\n'), "project")
    assert [(rule.source, rule.accepted) for rule in found.hosts] == [("project", False)]


@pytest.mark.parametrize(
    "entry",
    [
        "domain = 5", "ports = [443]", 'domain = "*"', 'domain = "*.org.*"', 'domain = "localhost"', 'domain = "*.org"',
        'domain = "*.127.0.0.1"', 'domain = "127.0.0.1"', 'domain = "10.0.0.1"', 'domain = "[::1]"',
        'domain = "https://example.org"', 'domain = "example.org"\nports = []',
        'domain = "example.org"\nports = [0]', 'domain = "example.org"\nports = ["443"]', 'domain = "0x7f.1"',
        'domain = "example.org"\nports = [true]', 'domain = "example.org"\nports = [65536]',
        'domain = "example.org"\nprotocols = []', 'domain = "example.org"\nprotocols = ["udp"]',
        'domain = "example.org"\nprotocols = "tls"', 'domain = "example.org"\nprotocols = [["tls"]]',
        'domain = "example.org"\nprotocols = ["tcp"]', 'domain = "example.org"\nport = 443',
    ],
)  # fmt: skip
def test_a_wrong_entry_is_told_and_left_out(tmp_path: Path, entry: str) -> None:
    good = '[[network.allow]]\ndomain = "good.example.org"\n'
    found = read_rules(_file(tmp_path, f"{good}[[network.allow]]\n{entry}\n"), "you")
    assert [rule.domain for rule in found.hosts] == ["good.example.org"]
    assert len(found.notices) == 1
    assert found.notices[0].message.startswith("settings.toml: ")
    assert "is ignored" in found.notices[0].hint


@pytest.mark.parametrize("text", ['allow = "example.org"', "allow = 5"])
def test_a_list_that_is_none_opens_nothing(tmp_path: Path, text: str) -> None:
    found = read_rules(_file(tmp_path, f"[network]\n{text}\n"), "you")
    assert found.hosts == []
    assert len(found.notices) == 1


@pytest.mark.parametrize("text", ['deny = ["10.0.0.0/33"]', "deny = [5]", 'deny = "nonsense/"', 'deny = ["10.0.0"]'])
def test_a_wrong_denial_closes_the_network_until_it_is_mended(tmp_path: Path, text: str) -> None:
    found = read_rules(_file(tmp_path, f"[network]\n{text}\n"), "project")
    assert found.closed
    assert "reach nothing" in found.notices[0].hint


def test_a_file_that_cannot_be_read_closes_the_network(tmp_path: Path) -> None:
    assert read_rules(_file(tmp_path, "[network"), "project").closed


@pytest.mark.parametrize("text", ["network = 5", '[[network]]\ndeny = ["evil.example"]'])
def test_a_table_in_another_shape_opens_nothing_and_closes_everything(tmp_path: Path, text: str) -> None:
    found = read_rules(_file(tmp_path, f"{text}\n"), "you")
    assert found.hosts == []
    assert found.closed


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(tmp_path: Path, text: str) -> None:
    path = tmp_path / "any.toml"
    path.write_bytes(text.encode("utf-8", "replace"))
    found = read_rules(path, "project")
    assert not any(rule.accepted for rule in found.hosts)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)


@given(st.fixed_dictionaries({}, optional={"domain": _VALUES, "ports": _VALUES, "protocols": _VALUES}))
def test_any_entry_is_a_rule_or_a_sentence(entry: dict[str, object]) -> None:
    try:
        rule = rule_of(entry)
    except WorkbenchError:
        return
    assert rule_of(entry_of(rule)) == rule


def test_the_fingerprint_is_of_what_is_opened_and_not_of_whose_it_is() -> None:
    ours, theirs = rule_of({"domain": "example.org"}), rule_of({"domain": "EXAMPLE.org", "ports": [443]}, "project")
    assert ours.sha == theirs.sha == fingerprint(HostRule("example.org"))
    assert rule_of({"domain": "example.org", "ports": [80]}).sha != ours.sha
    assert merged([ours, theirs]) == (ours,)


def test_a_denial_is_a_range_or_a_domain() -> None:
    assert denial("198.51.100.7") == "198.51.100.7/32"
    assert denial("*.Example.org") == "*.example.org"
    for wrong in ("1.2.3", "a/b", "::/129", 5, None, ""):
        with pytest.raises(WorkbenchError):
            denial(wrong)


def test_an_entry_with_one_unknown_protocol_keeps_the_others_and_is_named(tmp_path: Path) -> None:
    text = '[[network.allow]]\ndomain = "api.example.org"\nports = [443]\nprotocols = ["https", "ssh"]\n'
    found = read_rules(_file(tmp_path, text), "you")
    assert [(rule.domain, rule.ports, rule.protocols) for rule in found.hosts] == [
        ("api.example.org", (443,), ("tls",))
    ]
    (notice,) = found.notices
    assert "the entry for api.example.org names unsupported protocols: ssh" in notice.message
    found = read_rules(_file(tmp_path, text.replace('"https", ', "")), "you")
    assert found.hosts == []
    assert "unknown protocol: ssh" in found.notices[0].message
