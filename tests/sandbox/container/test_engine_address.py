"""The environment defines the engine's address. The client's options repeat it, so that no other setting applies."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.sandbox.container.engine import EngineAddress, address_of, client_environment


def test_podman_is_led_by_its_address_and_key() -> None:
    address = address_of("podman", "podman", {"CONTAINER_HOST": "ssh://me@box:22/run/p.sock", "CONTAINER_SSHKEY": "/k"})
    assert address.options == ("--url", "ssh://me@box:22/run/p.sock", "--identity", "/k")
    assert (address.is_remote, address.without_user, address.unprotected) == (True, "ssh://box:22", False)
    assert address_of("podman", "podman", {"DOCKER_HOST": "ssh://box"}) == EngineAddress()


def test_docker_is_led_by_its_address_and_certificates() -> None:
    given = {"DOCKER_HOST": "tcp://box:2376", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": "/certs"}
    address = address_of("docker", "docker", given)
    assert address.options[:3] == ("-H", "tcp://box:2376", "--tlsverify")
    assert address.options[4::2] == ("/certs/ca.pem", "/certs/cert.pem", "/certs/key.pem")
    assert (address.is_remote, address.unprotected) == (True, False)


@pytest.mark.parametrize(
    ("host", "is_remote", "unprotected"),
    [
        ("unix:///run/docker.sock", False, False),
        ("", False, False),
        ("tcp://127.0.0.1:2375", True, False),  # the local end of a tunnel
        ("tcp://localhost:2375", True, False),
        ("tcp://[::1]:2375", True, False),
        ("tcp://10.0.0.8:2375", True, True),
        ("ssh://box", True, False),
    ],
)
def test_what_is_elsewhere_and_what_others_can_read(host: str, is_remote: bool, unprotected: bool) -> None:
    assert (EngineAddress(host).is_remote, EngineAddress(host).unprotected) == (is_remote, unprotected)
    assert bool(EngineAddress(host).without_user) == is_remote


def test_a_password_in_an_address_is_refused_and_never_shown() -> None:
    address = EngineAddress("ssh://me:" + "word@box/run/p.sock")
    assert "password" in address.fault
    assert address.without_user == "ssh://box"
    assert not EngineAddress("ssh://me@box").fault


@pytest.mark.parametrize(
    ("host", "options"),
    [("ssh://me@box", ("--context", "far")), ("unix:///var/run/docker.sock", ("--context", "far"))],
)
def test_docker_s_own_setting_counts_where_the_environment_is_silent(
    tmp_path: Path, host: str, options: tuple[str, ...]
) -> None:
    client = tmp_path / "docker"
    client.write_text(f"""#!/bin/sh\necho '{{"Name": "far", "Endpoints": {{"docker": {{"Host": "{host}"}}}}}}'\n""")
    client.chmod(0o755)
    address = address_of("docker", str(client), {})
    assert (address.options, address.is_remote) == (options, host.startswith("ssh"))


def test_a_client_without_such_settings_is_of_this_machine(tmp_path: Path) -> None:
    assert address_of("docker", str(tmp_path / "missing"), {}) == EngineAddress()


def test_a_client_is_not_led_elsewhere_by_what_a_core_was_started_with(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONTAINER_HOST", "DOCKER_HOST", "DOCKER_CONTEXT"):
        monkeypatch.setenv(name, "ssh://box")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/agent")
    found = client_environment()
    assert not {"CONTAINER_HOST", "DOCKER_HOST", "DOCKER_CONTEXT"} & set(found)
    assert found["SSH_AUTH_SOCK"] == "/agent"
