"""The command-line arguments that start a container."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.records import Limits
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.container.engine import EngineSettings
from workbench.sandbox.container.run_arguments import run_arguments, user
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import profile_of

PODMAN = EngineSettings("podman", "/usr/bin/podman", image="image:1", rootless=True, descriptor=True, limits=True)
DOCKER = EngineSettings("docker", "/usr/bin/docker", image="image:1", limits=True)


@pytest.fixture
def profile(tmp_path: Path) -> ChildProfile:
    limits = Limits(memory_mb=300, pids=20, cpus=2)
    return profile_of("podman", Program("", limits, tmp_path / 'work, "here"', tmp_path, None))


def words(engine_settings: EngineSettings, profile: ChildProfile) -> list[str]:
    return run_arguments(engine_settings, profile, "name", "1.2", Path("/calls.json"))


def after(command: list[str], option: str) -> list[str]:
    return [command[at + 1] for at, word in enumerate(command) if word == option]


def parts(mount: str) -> list[str]:
    return next(csv.reader([mount]))


@pytest.mark.parametrize("engine_settings", [PODMAN, DOCKER])
def test_every_lock_is_asked_for(engine_settings: EngineSettings, profile: ChildProfile) -> None:
    command = words(engine_settings, profile)
    assert "--read-only" in command
    for option, value in (("--network", "none"), ("--ipc", "none"), ("--cap-drop", "ALL"), ("--pull", "never")):
        assert after(command, option) == [value]
    assert {"no-new-privileges", "seccomp=/calls.json"} <= set(after(command, "--security-opt"))
    assert "--privileged" not in command
    assert after(command, "--label") == ["mcp-workbench.core=1.2"]


def test_limits_are_the_program_s_where_the_kernel_s_groups_count(profile: ChildProfile) -> None:
    command = words(PODMAN, profile)
    assert after(command, "--memory") == after(command, "--memory-swap") == ["460m"]
    assert (after(command, "--cpus"), after(command, "--pids-limit")) == (["2"], ["22"])
    unprotected = words(replace(PODMAN, limits=False), profile)
    assert not {"--memory", "--cpus", "--pids-limit"} & set(unprotected)
    assert json.loads(unprotected[-1])["profile"]["pids"] == 20  # then only the limit of the process itself applies


def test_a_folder_with_commas_and_quotes_is_still_one_folder(profile: ChildProfile) -> None:
    mounts = [parts(mount) for mount in after(words(PODMAN, profile), "--mount")]
    assert mounts[0][:3] == ["type=bind", f"src={profile.workspace}", "dst=/bench/workspace"]
    assert "ro=true" not in mounts[0]
    assert mounts[1][1:3] == [f"src={profile.servers}", "dst=/bench/servers"]
    assert "ro=true" in mounts[1]
    read_only = words(PODMAN, replace(profile, writable=False))
    assert "ro=true" in parts(after(read_only, "--mount")[0])


def test_temporary_files_have_a_bound_in_bytes_and_in_number(profile: ChildProfile) -> None:
    volume = parts(after(words(PODMAN, profile), "--mount")[-1])
    assert "dst=/tmp" in volume
    assert any("nr_blocks=" in part and "nr_inodes=8192" in part for part in volume)
    assert "size=80m,nr_inodes=8192" in after(words(DOCKER, profile), "--tmpfs")[0]


def test_nobody_is_root(profile: ChildProfile) -> None:
    assert user() == ((65534, 65534) if os.getuid() == 0 else (os.getuid(), os.getgid()))
    assert after(words(PODMAN, profile), "--user") == ["{}:{}".format(*user())]
    assert after(words(PODMAN, profile), "--userns") == ["keep-id"]


def test_the_channel_is_handed_in_or_carried(profile: ChildProfile) -> None:
    direct, carried = words(PODMAN, profile), words(DOCKER, profile)
    assert after(direct, "--preserve-fds") == ["1"]
    assert "-i" not in direct[: direct.index("image:1")]
    assert "-i" in carried[: carried.index("image:1")]
    assert (json.loads(direct[-1])["parent"], json.loads(carried[-1])["parent"]) == (False, True)


@pytest.mark.parametrize("engine_settings", [replace(PODMAN, descriptor=False), DOCKER])
def test_elsewhere_nothing_of_this_machine_is_asked_for(engine_settings: EngineSettings, profile: ChildProfile) -> None:
    command = words(replace(engine_settings, remote="ssh://box"), replace(profile, marks=((1, 2),)))
    assert profile.servers
    assert profile.servers not in " ".join(command)
    assert not [mount for mount in after(command, "--mount") if "type=bind" in mount]
    assert "--rm" in command
    assert after(command, "--user") == ["65534:65534"]
    inner = json.loads(command[-1])
    assert (inner["carried"], inner["profile"]["marks"], inner["profile"]["disk_mb"]) == (True, [], 256)
    for name in ("workspace", "servers", "skills"):
        assert any(f"/bench/{name}" in word and "nr_inodes=" in word for word in command)


def test_elsewhere_podman_takes_the_list_from_the_image_and_docker_from_its_client(profile: ChildProfile) -> None:
    podman = words(replace(PODMAN, descriptor=False, remote="ssh://box"), profile)
    assert after(podman, "--seccomp-policy") == ["image"]
    assert not any("seccomp=" in word for word in podman)
    assert "seccomp=/calls.json" in after(words(replace(DOCKER, remote="ssh://box"), profile), "--security-opt")


def test_elsewhere_memory_holds_the_files_too(profile: ChildProfile) -> None:
    command = words(replace(PODMAN, descriptor=False, remote="ssh://box"), replace(profile, disk_mb=100))
    assert after(command, "--memory") == [f"{460 + 100 + 160}m"]
