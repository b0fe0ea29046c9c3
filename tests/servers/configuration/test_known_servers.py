"""The entries that are offered are entries: readable, without a secret in them, and from their makers' own places."""

from __future__ import annotations

import json
import re

import pytest

from workbench.client_configs.config_import import keep_apart
from workbench.servers.configuration import mcp_json_file
from workbench.servers.configuration.launch_command import references
from workbench.servers.configuration.mcp_json_file import known_servers

MAKERS = {"GitHub", "Supabase", "Upstash", "Slack", "Google", "Salesforce"}
PLACES = {
    "https://api.githubcopilot.com/mcp/",
    "https://mcp.supabase.com/mcp?read_only=true",
    "https://mcp.context7.com/mcp",
    "https://mcp.slack.com/mcp",
    "https://drivemcp.googleapis.com/mcp/v1",
}


def test_every_maker_is_there_and_every_title_is_its_own() -> None:
    assert {one.maker for one in known_servers()} == MAKERS
    assert len({one.title for one in known_servers()}) == len(known_servers())
    assert {one.config.url for one in known_servers()} - {""} == PLACES


@pytest.mark.parametrize("known", known_servers(), ids=lambda known: known.title)
def test_each_is_an_entry_that_says_what_it_needs(known) -> None:
    config = known.config
    assert (
        mcp_json_file.parse_entry(config.name, json.loads(json.dumps(mcp_json_file.entry_as_json(config, {}))))
        == config
    )
    assert not keep_apart(config).secrets, "nothing in it looks like a secret"
    assert bool(config.url) != bool(config.command)
    assert known.page.startswith("https://")
    assert all((known.licence, known.needs.endswith(".")))
    assert all(re.fullmatch(r"[a-z0-9 ]+", name) for name in references(config))
