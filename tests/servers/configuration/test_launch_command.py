"""A server is started as configured: variables expanded, in its folder, with a minimal environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.configuration.launch_command import demo_config, expand, fingerprint, prepare, references

CONFIG = ServerConfig("one", "run", ("-v",), {"KEY": "${SECRET}"}, "")


def test_variables_and_defaults() -> None:
    assert expand("${A}-${B:-b}-${C:-}-$A-${", {"A": "a", "B": ""}) == "a-b--$A-${"


def test_a_value_is_not_expanded_again() -> None:
    assert expand("${A}", {"A": "${B}", "B": "b"}) == "${B}"


def test_a_variable_that_is_not_set_is_a_fault() -> None:
    with pytest.raises(WorkbenchError, match="variable NOPE is not set"):
        expand("${NOPE}", {})


def test_the_environment_is_small_and_complete(tmp_path: Path) -> None:
    ours = {"PATH": "/bin", "LC_ALL": "C", "SECRET": "s", "AWS_SECRET_ACCESS_KEY": "x", "https_proxy": "p"}
    assert prepare(CONFIG, tmp_path, ours).env == {"PATH": "/bin", "LC_ALL": "C", "https_proxy": "p", "KEY": "s"}


def test_the_folder_is_the_project_or_below_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    ours = {"SECRET": ""}
    assert prepare(CONFIG, tmp_path, ours | {"SECRET": "s"}).cwd == str(tmp_path)
    assert prepare(replace(CONFIG, cwd="sub", env={}), tmp_path, ours).cwd == str(tmp_path / "sub")
    with pytest.raises(WorkbenchError, match="does not exist"):
        prepare(replace(CONFIG, cwd="nowhere", env={}), tmp_path, ours)


@pytest.mark.parametrize(
    "change", [{"command": "walk"}, {"args": ("-v", "")}, {"args": ()}, {"env": {"KEY": "x"}}, {"cwd": "."}]
)
def test_any_change_of_the_command_changes_the_fingerprint(change: dict[str, object]) -> None:
    assert fingerprint(replace(CONFIG, **change)) != fingerprint(CONFIG)


@pytest.mark.parametrize(
    "change",
    [
        {"url": "https://example.net/mcp"},
        {"headers": {"X-Key": "${OTHER}"}},
        {"headers": {}},
        {"transport": "sse"},
        {"oauth": {"clientId": "x"}},
        {"roots": ("/",)},
    ],
)
def test_any_change_of_what_a_remote_server_receives_changes_the_fingerprint(change: dict[str, object]) -> None:
    far = ServerConfig("far", url="https://example.org/mcp", headers={"X-Key": "${SECRET}"})
    assert fingerprint(replace(far, **change)) != fingerprint(far)


def test_name_switch_group_and_patience_do_not_change_the_fingerprint() -> None:
    changed = replace(CONFIG, name="two", disabled=True, category="work", timeout_seconds=5)
    assert fingerprint(changed) == fingerprint(CONFIG)


def test_a_folder_in_the_project_cannot_stand_in_for_the_demo_server(tmp_path: Path) -> None:
    demo = prepare(demo_config(), tmp_path)
    assert demo.command == sys.executable
    assert demo.args[0] == "-P"  # without -P, a folder `workbench` in the current directory would be imported
    assert str(tmp_path) not in demo.env["PYTHONPATH"]


def test_a_secret_is_put_in_where_an_entry_refers_to_it_and_shown_nowhere(tmp_path: Path) -> None:
    config = ServerConfig("one", "run", ("--key=${keyring:a b}",), {"AUTH": "Bearer ${keyring:a b}", "X": "${HOME}"})
    made = prepare(config, tmp_path, {"HOME": "${keyring:a b}"}, {"a b": "value-" + "one"}.get)
    assert made.args == ("--key=value-one",)
    assert made.env["AUTH"] == "Bearer value-one"
    assert made.env["X"] == "${keyring:a b}"  # the value of a variable is not expanded again
    assert "value-one" not in repr(made)


def test_a_secret_that_is_not_stored_is_a_sentence(tmp_path: Path) -> None:
    config = ServerConfig("one", "run", env={"AUTH": "${keyring:github}"})
    with pytest.raises(WorkbenchError, match="The secret 'github' is not stored"):
        prepare(config, tmp_path, {})


def test_the_secrets_of_an_entry_are_found_wherever_they_are_referred_to() -> None:
    far = ServerConfig("far", url="https://x/${keyring:a}", headers={"K": "${keyring:b}"})
    far = replace(far, oauth={"clientSecret": "${keyring:c}", "scopes": []}, env={"E": "${keyring:a}"})
    assert references(far) == ("a", "b", "c")


def test_what_a_sign_in_brought_cannot_be_referred_to() -> None:
    """Otherwise the access token of one server could be sent to another server by its configuration entry."""
    asked: list[str] = []
    for name in ("oauth:github", "OAuth:github", " oauth:github"):
        with pytest.raises(WorkbenchError, match="only to its own server"):
            expand(f"Bearer ${{keyring:{name}}}", {}, asked.append)
    assert asked == []
