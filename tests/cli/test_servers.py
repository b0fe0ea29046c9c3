"""Servers and tools of a real project, as a script lists them."""

from __future__ import annotations

import json


def test_servers_are_listed_with_how_they_are(command):
    code, out, _ = command("servers")
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert code == 0
    assert "ready" in lines["demo"]
    assert "tools" in lines["demo"]
    assert "not allowed yet" in lines["strange"]
    assert "TOKEN=… " in lines["strange"]


def test_servers_as_json_are_the_whole_records(command):
    _, out, _ = command("servers", "--json")
    assert {state["config"]["name"]: state["status"] for state in json.loads(out)}["demo"] == "ready"


def test_tools_are_listed_and_filtered(command):
    code, out, _ = command("tools", "--server", "demo")
    assert code == 0
    assert any(line.split()[:2] == ["demo", "list_orders"] for line in out.splitlines())


def test_a_search_finds_the_best_first(command):
    _, out, _ = command("tools", "--search", "send a mail", "--output", "json")
    assert json.loads(out)[0]["name"] == "send_email"


def test_nothing_found_is_said_beside_the_data(command):
    nothing = "ᚠᚢᚦᚨᚱᚲ"  # near no tool in meaning either, which the core begins to read while these tests run
    assert command("tools", "--search", nothing)[:2] == (0, "")
    assert "No tool matches" in command("tools", "--server", "strange")[2]


def test_an_unknown_server_is_a_sentence_that_names_the_known(command):
    code, out, err = command("tools", "--server", "nope")
    assert (code, out) == (1, "")
    assert "There is no server 'nope'.\nServers of this project: demo, strange." in err
    assert "--project FOLDER" in err


def test_known_servers_are_listed_and_one_is_added_without_being_allowed(command):
    code, out, err = command("servers", "--known")
    assert code == 0
    assert any("GitHub, at its address" in line and "api.githubcopilot.com" in line for line in out.splitlines())
    assert "personal access token" in err
    assert json.loads(command("servers", "--known", "--output", "json")[1])[0]["config"]["name"] == "github"
    code, out, _ = command("servers", "--add", "salesforce")
    assert code == 0
    assert "not allowed yet" in out
    assert "npx -y @salesforce/mcp@latest" in out
    code, _, err = command("servers", "--add", "github")
    assert code != 0
    assert "matches 2 of the known servers" in err
