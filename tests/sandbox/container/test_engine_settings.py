"""Settings recorded when the image was built are read back unchanged, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.sandbox.container.engine import (
    FILE,
    EngineSettings,
    read_engine_settings,
    write_engine_settings,
)

FULL = EngineSettings(
    "podman", "/usr/bin/podman", ("--runtime", "runc"), ("--x",), image="image:1", source="abc", rootless=True,
    descriptor=True, limits=True, service=True, remote="ssh://box", machine="x86_64", runtime="runc", starts_ms=300,
)  # fmt: skip


def test_it_is_read_back_as_it_was(tmp_path: Path) -> None:
    write_engine_settings(tmp_path / "images", FULL)
    assert read_engine_settings(tmp_path / "images") == FULL
    assert FULL.command("ps") == ["/usr/bin/podman", "--runtime", "runc", "ps"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"engine": "podman"}', '{"options": [], "run_options": [], "new": 1}']
)
def test_what_another_version_wrote_counts_as_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert read_engine_settings(tmp_path) is None
    assert read_engine_settings(tmp_path / "missing") is None
