"""Finding a container engine by running it. For an unusable or missing engine, the reason and a hint are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.container.engine import ask, find_engine


def script(folder: Path, name: str, words: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{words}\n")
    file.chmod(0o755)
    return file


def test_without_an_engine_the_package_to_install_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as refused:
        find_engine({"PATH": str(tmp_path)})
    assert "podman is not installed; docker is not installed" in refused.value.message
    assert "sudo apt install podman mmdebstrap" in refused.value.hint


def test_an_engine_on_another_machine_is_asked_there(tmp_path: Path) -> None:
    script(tmp_path, "docker", """test "$1 $2 $3" = "-H ssh://me@box info" && echo '{"Architecture": "aarch64"}'""")
    found = find_engine({"PATH": f"{tmp_path}:/bin", "DOCKER_HOST": "ssh://me@box"})
    assert (found.address.without_user, found.machine) == ("ssh://box", "aarch64")


def test_an_engine_that_somebody_pointed_at_is_not_replaced_by_another(tmp_path: Path) -> None:
    script(tmp_path, "docker", "echo 'no route to host' >&2; exit 1")
    script(tmp_path, "podman", "echo '{}'")
    with pytest.raises(WorkbenchError, match="no route to host"):
        find_engine({"PATH": str(tmp_path), "DOCKER_HOST": "ssh://me@box"})


def test_an_address_with_a_password_is_refused(tmp_path: Path) -> None:
    script(tmp_path, "podman", "echo '{}'")
    with pytest.raises(WorkbenchError, match="contains a password") as refused:
        find_engine({"PATH": str(tmp_path), "CONTAINER_HOST": "ssh://me:" + "word@box/p.sock"})
    assert "word@" not in refused.value.message


def test_an_unknown_processor_is_refused(tmp_path: Path) -> None:
    script(tmp_path, "podman", """echo '{"host": {"arch": "s390x"}}'""")
    with pytest.raises(WorkbenchError, match="unsupported processor type, 's390x'"):
        find_engine({"PATH": str(tmp_path)})


def test_an_engine_that_does_not_answer_tells_its_own_words(tmp_path: Path) -> None:
    script(tmp_path, "docker", "echo 'Cannot connect to the daemon' >&2; exit 1")
    with pytest.raises(WorkbenchError, match="Cannot connect to the daemon"):
        find_engine({"PATH": str(tmp_path)})


def test_podman_comes_first_unless_the_environment_points_elsewhere(tmp_path: Path) -> None:
    facts = {"host": {"security": {"rootless": True}, "cgroupControllers": ["memory", "cpu", "pids"]}}
    script(tmp_path, "podman", f"echo '{json.dumps(facts)}'")
    script(tmp_path, "docker", """echo '{"SecurityOptions": ["name=rootless"], "MemoryLimit": true}'""")
    found = find_engine({"PATH": str(tmp_path)})
    assert (found.name, found.rootless, found.groups) == ("podman", True, True)
    found = find_engine({"PATH": str(tmp_path), "DOCKER_HOST": "unix:///run/user/1000/docker.sock"})
    assert (found.name, found.rootless, found.groups) == ("docker", True, True)


def test_an_answer_that_does_not_come_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    slow = script(tmp_path, "podman", "exec sleep 60")
    with pytest.raises(WorkbenchError, match=r"did not answer in 0\.2 seconds"):
        ask([str(slow)], patience=0.2)
