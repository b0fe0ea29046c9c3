"""What a person reads before they allow a server leaves nothing out that they would want to know."""

from __future__ import annotations

from workbench.records import ServerConfig
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.configuration.launch_consents import consent


def test_a_command_is_shown_with_the_values_of_its_variables_and_without_secrets() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    config = ServerConfig("near", "npx", ("-y", "two words"), {"LD_PRELOAD": "./x.so", "TOKEN": token})
    shown = consent(config)
    assert shown.told == "LD_PRELOAD=./x.so TOKEN=•••••• npx -y 'two words'"
    assert shown.sha == fingerprint(config)
    assert shown.warnings == ("LD_PRELOAD can make the command load other code.",)


def test_an_address_is_shown_with_its_headers_and_with_what_of_the_persons_leaves() -> None:
    headers = {"Authorization": "Bearer ${keyring:github}", "X-Also": "${AWS_SECRET_ACCESS_KEY:-}"}
    shown = consent(ServerConfig("far", url="http://evil.example/mcp?who=${USER}", headers=headers))
    assert shown.remote
    assert shown.told.splitlines() == [
        "http://evil.example/mcp?who=${USER}",
        "Authorization: Bearer ${keyring:github}",
        "X-Also: ${AWS_SECRET_ACCESS_KEY:-}",
    ]
    assert shown.warnings == (
        "Your stored secret “github” is sent to evil.example.",
        "The value of your variable USER is sent to evil.example.",
        "The value of your variable AWS_SECRET_ACCESS_KEY is sent to evil.example.",
        "The connection is not encrypted (http).",
    )


def test_folders_are_named_and_an_address_that_is_none_costs_nothing() -> None:
    shown = consent(ServerConfig("near", "x", cwd="../elsewhere", roots=("/home/me",)))
    assert shown.notes == ("In the folder ../elsewhere.", "It is told that it may work in: /home/me.")
    assert "http://[" in consent(ServerConfig("far", url="http://[", headers={"a": "${B}"})).warnings[0]
