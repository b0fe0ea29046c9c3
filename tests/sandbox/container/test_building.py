"""Building says what is missing before it begins, and takes back what it built."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox.builder import Wish
from workbench.sandbox.container.building import ImageBuilder, base_image
from workbench.sandbox.container.station import Station, read_station, write_station


def test_without_an_engine_nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WorkbenchError, match="podman is not installed"):
        ImageBuilder(tmp_path).build(Wish(), lambda line: None)
    assert read_station(tmp_path) is None


def test_removing_what_was_never_built_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    ImageBuilder(tmp_path).remove(said.append)
    assert said == ["There is no container image of the workbench."]


def test_removing_forgets_what_was_found_out(tmp_path: Path) -> None:
    engine = tmp_path / "podman"
    engine.write_text('#!/bin/sh\necho "$@" >> "$0.asked"\n')
    engine.chmod(0o755)
    station = Station("podman", str(engine), image="image:1")
    write_station(tmp_path, station)
    said: list[str] = []
    ImageBuilder(tmp_path).remove(said.append)
    assert read_station(tmp_path) is None
    assert said[0] == "Removed the image image:1."
    assert f"rmi -f {base_image(station)}" in (tmp_path / "podman.asked").read_text()
