"""What a person ticked is what comes in, with its secrets kept apart."""

from __future__ import annotations

import pytest

from workbench.client_configs.config_discovery import find
from workbench.client_configs.config_import import keep_apart, settle
from workbench.errors import WorkbenchError
from workbench.records import ImportChoice, ServerConfig


def test_secrets_become_references(homes) -> None:
    token = homes.token
    config = ServerConfig(
        "hub", "npx", ("--api-key", "abc123", f"--token={token}", "--level", "3"), {"A_KEY": "s3cr3t", "LEVEL": "1"},
        url=f"https://me:{'pass' + 'word1'}@h.example/?key=k12345", headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip
    made = keep_apart(config)
    assert made.config.args == ("--api-key", "${keyring:hub/api-key}", "--token=${keyring:hub/token}", "--level", "3")
    assert made.config.env == {"A_KEY": "${keyring:hub/A_KEY}", "LEVEL": "1"}
    assert made.config.headers == {"Authorization": "Bearer ${keyring:hub/Authorization}"}
    assert made.config.url == "https://me:${keyring:hub/url}@h.example/?key=${keyring:hub/url-2}"
    assert made.secrets["hub/A_KEY"] == "s3cr3t"
    assert made.secrets["hub/url-2"] == "k12345"


def test_a_choice_is_carried_out_as_it_was_seen(homes, paths) -> None:
    homes.write(".cursor/mcp.json", {"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "s3cr3t"}}}})
    one = find(paths.project)[0][0]
    found = {one.key: one}
    plain = settle(ImportChoice(one.key, one.sha, "b"), found, frozenset("a"))
    assert plain.config == ServerConfig("b", "x", env={"API_KEY": "s3cr3t"})
    kept = settle(ImportChoice(one.key, one.sha, "b", keep_secrets=True), found, frozenset())
    assert kept.secrets == {"b/API_KEY": "s3cr3t"}
    with pytest.raises(WorkbenchError, match="already"):
        settle(ImportChoice(one.key, one.sha, "a"), found, frozenset("a"))
    assert settle(ImportChoice(one.key, one.sha, "a", replace=True), found, frozenset("a")).config.name == "a"


def test_what_changed_since_it_was_seen_is_not_imported(homes, paths) -> None:
    homes.write(".cursor/mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    before = find(paths.project)[0][0]
    homes.write(".cursor/mcp.json", {"mcpServers": {"a": {"command": "evil"}}})
    after = find(paths.project)[0][0]
    assert after.key == before.key
    for found in ({after.key: after}, {}):
        with pytest.raises(WorkbenchError, match="changed"):
            settle(ImportChoice(before.key, before.sha, "a"), found, frozenset())
