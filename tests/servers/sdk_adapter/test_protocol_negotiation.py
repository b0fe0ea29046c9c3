"""A server's capabilities are converted to names, and a request's target is sent in its headers."""

from __future__ import annotations

from workbench.servers.sdk_adapter.protocol_negotiation import capability_words, headers


def test_capabilities_become_words() -> None:
    offered = {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": False},
        "logging": {},
        "tasks": {"list": {}, "requests": {"tools": {"call": {}}}},
        "odd": 7,
    }
    assert capability_words(offered) == (
        "tools", "tools.listChanged", "resources", "resources.subscribe", "logging",
        "tasks", "tasks.list", "tasks.requests", "odd",
    )  # fmt: skip


def test_a_hostile_number_of_capabilities_is_cut() -> None:
    found = capability_words({f"{'x' * 500}{number}": {} for number in range(5_000)})
    assert len(found) <= 100
    assert max(map(len, found)) <= 100


def test_headers_tell_the_version_and_in_the_modern_era_what_the_body_holds() -> None:
    assert headers("2025-06-18", False, "tools/call", {"name": "x"}) == {"mcp-protocol-version": "2025-06-18"}
    modern = headers("2026-07-28", True, "tools/call", {"name": "größer"})
    assert modern["mcp-method"] == "tools/call"
    assert modern["mcp-name"].isascii()
    assert "mcp-name" not in headers("2026-07-28", True, "tools/list", {})
    assert "mcp-name" not in headers("2026-07-28", True, "resources/read", {"uri": 7})
