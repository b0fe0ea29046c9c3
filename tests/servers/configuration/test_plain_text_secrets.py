"""Secrets in plain text are found in the usual places, and other values are not mistaken for secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records import ServerConfig
from workbench.secrets.secret_masking import SecretMasks
from workbench.servers.configuration.launch_command import expand, references
from workbench.servers.configuration.plain_text_secrets import find, hide, moved

SHORT = "abcd-" + "1234"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MIXED = "dGhpcyBpc" + "yBub3QgYSBzZWNyZXQx" + "Zm9yIHN1cmU"


@pytest.mark.parametrize(
    ("fields", "place", "value"),
    [
        ({"env": {"GITHUB_TOKEN": SHORT}}, "GITHUB_TOKEN in env", SHORT),
        ({"env": {"ANYTHING": GITHUB}}, "ANYTHING in env", GITHUB),
        ({"env": {"CONFIG": MIXED}}, "CONFIG in env", MIXED),
        ({"headers": {"Authorization": "Bearer " + SHORT}}, "Authorization in headers", SHORT),
        ({"headers": {"X-Api-Key": SHORT}}, "X-Api-Key in headers", SHORT),
        ({"args": ("--api-key=" + SHORT, "y")}, "the command's arguments", SHORT),
        ({"args": ("--token", SHORT)}, "the command's arguments", SHORT),
        ({"args": ("-e", "postgres://me:pass" + "word9@host/db")}, "the command's arguments", None),
        ({"url": "https://h/mcp?api_key=" + SHORT + "&x=1"}, "api_key in url", SHORT),
        ({"oauth": {"clientSecret": SHORT}}, "clientSecret in oauth", SHORT),
    ],
)
def test_it_is_found_and_its_place_is_told(fields, place, value):
    (plain,) = find(ServerConfig("s", **fields))
    assert plain.place == place
    assert value is None or plain.value == value


@pytest.mark.parametrize(
    "config",
    [
        ServerConfig("s", "npx", ("-y", "@modelcontextprotocol/server-filesystem@2025.11.1", "/home/me/projects")),
        ServerConfig("s", "x", env={"GITHUB_TOKEN": "${GITHUB_TOKEN}", "API_KEY": "${keyring:k}", "TOKEN": ""}),
        ServerConfig("s", "x", env={"TOKEN_LIMIT": "4096", "MAX_TOKENS": "100000", "PASSWORD_FILE": "/run/secrets/db"}),
        ServerConfig("s", "x", env={"NODE_ENV": "production", "ID": "0b5ee6a0-51f7-4a1e-9a3e-3f3c3f0d0c11"}),
        ServerConfig("s", url="https://h/mcp?mode=fast&page=2", headers={"Accept": "application/json"}),
        ServerConfig("s", "x", ("--token-file", "/home/me/token", "--verbose", "--port=8080")),
        ServerConfig("s", "docker", ("run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server")),
        ServerConfig("s", url="https://h", oauth={"clientId": "my-own-client", "scopes": ["read"]}),
    ],
)
def test_what_is_none_stays(config):
    assert find(config) == ()
    assert moved(config) == (config, {})


def test_moving_leaves_references_that_expand_to_what_stood_there():
    config = ServerConfig(
        "git hub", "x", ("--token", GITHUB, "--key=abcd-" + "1234"), {"A": GITHUB, "PASSWORD": "hunter-" + "22"},
        url="https://h?token=abcd-" + "1234", headers={"Authorization": "Bearer " + GITHUB},
    )  # fmt: skip
    changed, values = moved(config, taken=("git hub PASSWORD",))
    assert find(changed) == ()
    assert changed.headers == {"Authorization": "Bearer ${keyring:git hub token}"}
    assert values["git hub PASSWORD 2"] == "hunter-" + "22"
    assert set(references(changed)) == set(values)
    texts = [(*one.args, *one.env.values(), *one.headers.values(), one.url) for one in (config, changed)]
    assert tuple(expand(text, {}, values.get) for text in texts[1]) == texts[0]


@given(st.text(max_size=80), st.text(max_size=30))
def test_any_entry_is_the_same_after_moving_and_expanding(value, key):
    config = ServerConfig("s{}", "x", args=(value,), env={key: value})
    changed, values = moved(config)
    if "${" not in value:
        assert expand(changed.env[key], {}, values.get) == value
        assert expand(changed.args[0], {}, values.get) == value


def test_secrets_that_come_from_the_environment_are_masked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most configurations contain "Bearer ${GITHUB_TOKEN}"."""
    token, word = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "hunter2-" + "of-mine"
    monkeypatch.setenv("A_TOKEN", token)
    monkeypatch.setenv("A_WORD", word)
    config = ServerConfig(
        "one",
        "run",
        ("--key=${A_TOKEN}", "${NOT_SET_ANYWHERE}", "${keyring:oauth:x}"),
        env={"PASSWORD": "${A_WORD}"},
        headers={"Authorization": "Bearer ${A_TOKEN}"},
    )
    masks = SecretMasks()
    assert hide(config, masks) == ()  # the file itself contains no secret
    assert token not in masks.mask(f"said {token}")
    assert word not in masks.mask(f"said {word}")
