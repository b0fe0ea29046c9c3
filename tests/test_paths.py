"""Every path follows the rules of the platform, and one variable moves all of them."""

from __future__ import annotations

import os
import tempfile
from dataclasses import fields
from pathlib import Path

import pytest

from workbench import paths
from workbench.paths import OVERRIDE, Paths, paths_of


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A person at home, without any of the variables that move paths."""
    for name in (OVERRIDE, "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return monkeypatch


def _all(found: Paths) -> list[Path]:
    named = [name for name in dir(Paths) if isinstance(getattr(Paths, name), property)]
    return [getattr(found, name) for name in [*named, *(f.name for f in fields(Paths))]]


def test_one_variable_moves_everything_that_is_not_in_the_project(paths: Paths, tmp_path: Path) -> None:
    outside = [path for path in _all(paths) if not path.is_relative_to(paths.project)]
    assert outside
    short = paths.runtime.parent
    assert all(path.is_relative_to(tmp_path / "home") or path.is_relative_to(short) for path in outside)


def test_asking_makes_nothing_on_disk(paths: Paths, tmp_path: Path) -> None:
    _all(paths)
    assert not (tmp_path / "home").exists()
    assert list(paths.project.iterdir()) == []


def test_two_projects_share_no_state_no_cache_and_no_socket(tmp_path: Path) -> None:
    one, other = paths_of(tmp_path / "one"), paths_of(tmp_path / "other")
    assert not {one.state, one.cache, one.runtime} & {other.state, other.cache, other.runtime}


def test_the_same_project_by_another_name_is_the_same_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    monkeypatch.chdir(tmp_path)
    assert paths_of(tmp_path / "link") == paths_of(Path("project")) == paths_of(tmp_path / "project")


def test_without_a_folder_the_persons_own_project_is_used(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = tmp_path / ".local/share/mcp-workbench"
    assert paths_of().project == data / "project"
    (data / "bench").mkdir(parents=True)
    assert paths_of().project == data / "bench", "version 0.1 called it so"


def test_the_platforms_variables_are_followed(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unset.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    assert paths_of().state.parent == tmp_path / "elsewhere" / "mcp-workbench"


def test_a_relative_platform_variable_is_ignored_as_the_standard_asks(
    unset: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unset.setenv("XDG_STATE_HOME", "somewhere")
    assert paths_of().state.is_relative_to(tmp_path / ".local/state")


def test_sockets_stay_short_enough_for_the_kernel_below_a_long_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(OVERRIDE, str(tmp_path / ("deep/" * 40)))
    found = paths_of(tmp_path)
    assert max(len(os.fsencode(path)) for path in (found.user_socket, found.agent_socket, found.lock)) <= 107


def test_without_a_runtime_folder_the_temp_folder_is_used_per_person(unset: pytest.MonkeyPatch) -> None:
    assert paths.runtime_folder() == Path(tempfile.gettempdir()) / f"mcp-workbench-{os.getuid()}"


def test_icons_and_starter_skills_are_found_in_a_checkout() -> None:
    assert (paths.resources() / "icons" / "app.svg").is_file()
    assert paths.starter_skills().is_dir()
