"""Building an image reports missing programs before it starts, and removes what it built."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.container.engine import (
    ContainerEngine,
    EngineAddress,
    EngineSettings,
    read_engine_settings,
    write_engine_settings,
)
from workbench.sandbox.container.image_builder import ImageBuilder, _is_same, add_runner, base_image
from workbench.sandbox.container.orphan_cleanup import machine_id


def test_without_an_engine_nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WorkbenchError, match="podman is not installed"):
        ImageBuilder(tmp_path).build(lambda line: None)
    assert read_engine_settings(tmp_path) is None


def test_removing_what_was_never_built_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    ImageBuilder(tmp_path).remove(said.append)
    assert said == ["The workbench has no container image."]


def test_removing_forgets_what_was_found_out(tmp_path: Path) -> None:
    engine = tmp_path / "podman"
    engine.write_text('#!/bin/sh\necho "$@" >> "$0.asked"\n')
    engine.chmod(0o755)
    engine_settings = EngineSettings("podman", str(engine), image="image:1")
    write_engine_settings(tmp_path, engine_settings)
    said: list[str] = []
    ImageBuilder(tmp_path).remove(said.append)
    assert read_engine_settings(tmp_path) is None
    assert said[0] == "Removed the image image:1."
    assert f"rmi -f {base_image(engine_settings)}" in (tmp_path / "podman.asked").read_text()


def test_an_engine_that_does_not_answer_keeps_its_images_and_that_is_said(tmp_path: Path) -> None:
    write_engine_settings(
        tmp_path, EngineSettings("podman", "/nonexistent/podman", image="image:1", remote="ssh://box")
    )
    said: list[str] = []
    ImageBuilder(tmp_path).remove(said.append)
    assert said[0].startswith(
        "podman on ssh://box does not answer, so its images are not removed: podman cannot be started"
    )
    assert read_engine_settings(tmp_path) is None


FAR = """#!/bin/sh
echo "$@" >> "$0.asked"
case "$*" in
  *info*) echo '{"host": {"arch": "ARCH"}}' ;;
  *"image inspect"*Labels*) echo something else ;;
  *"image inspect"*) exit 1 ;;
esac
"""


def remote_engine(folder: Path, arch: str) -> str:
    engine = folder / "podman"
    engine.write_text(FAR.replace("ARCH", arch))
    engine.chmod(0o755)
    return str(engine)


def test_another_kind_of_processor_needs_an_image_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "arm64" if os.uname().machine == "x86_64" else "amd64"
    remote_engine(tmp_path, other)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setenv("CONTAINER_HOST", "tcp://box.example:1234")
    said: list[str] = []
    with pytest.raises(WorkbenchError, match="different processor type") as refused:
        ImageBuilder(tmp_path).build(said.append)
    assert "--from IMAGE" in refused.value.hint
    assert "The engine runs on another machine: tcp://box.example:1234" in "\n".join(said)
    assert "not protected" in said[-1]


def test_an_engine_that_loses_the_list_of_system_calls_is_not_used(tmp_path: Path) -> None:
    engine = remote_engine(tmp_path, "amd64")
    engine_settings = EngineSettings(
        "podman", engine, ("--url", "ssh://box"), image="i:1", remote="ssh://box", machine="x86_64"
    )
    with pytest.raises(WorkbenchError, match="does not store the seccomp profile"):
        add_runner(engine_settings, "base", lambda line: None)
    assert "rm -f" in (tmp_path / "podman.asked").read_text()


def test_images_at_an_engine_of_others_are_named_after_the_machine_that_made_them() -> None:
    local, remote = EngineSettings("podman", "/p"), EngineSettings("podman", "/p", remote="ssh://box")
    assert base_image(remote).startswith(f"{base_image(local)}-")
    assert base_image(remote).endswith(machine_id()[:12])


def test_what_was_built_for_another_engine_is_not_current() -> None:
    local, there = (
        ContainerEngine("podman", "/p"),
        ContainerEngine("podman", "/p", EngineAddress("ssh://box", ("--url", "ssh://box"))),
    )
    engine_settings = EngineSettings("podman", "/p", ("--url", "ssh://box", "--x"), service=True, remote="ssh://box")
    assert _is_same(engine_settings, there)
    assert not _is_same(engine_settings, local)
    assert not _is_same(EngineSettings("podman", "/p"), there)
    assert _is_same(EngineSettings("podman", "/p", ("--runtime", "runc")), local)
