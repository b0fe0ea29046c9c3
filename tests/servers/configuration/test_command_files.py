"""A command is also the file behind it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.servers.configuration.launch_command import LaunchCommand
from workbench.servers.configuration.launch_consents import difference, from_json, look


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    file = tmp_path / "bin" / "tool"
    file.parent.mkdir()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def launch(tool: Path, *args: str, command: str = "tool") -> LaunchCommand:
    return LaunchCommand(command, args, {"PATH": str(tool.parent)}, str(tool.parent.parent))


def test_the_file_on_path_is_found_and_unchanged_files_are_not_read_again(tool: Path) -> None:
    (before,) = look(launch(tool), {})
    assert (before.name, before.path, before.size) == ("tool", str(tool.resolve()), 10)
    (again,) = look(launch(tool), {"tool": before})
    assert again is before
    assert difference((before,), (again,)) == ""


def test_other_bytes_are_told_and_the_same_bytes_elsewhere_are_not(tool: Path) -> None:
    before = look(launch(tool), {})
    os.utime(tool, (1, 1))
    touched = look(launch(tool), {file.name: file for file in before})
    assert difference(before, touched) == ""
    tool.write_text("#!/bin/sh\nrm -rf ~\n")
    assert "has changed since" in difference(before, look(launch(tool), {}))
    other = tool.with_name("other")
    other.write_text("evil")
    other.chmod(0o755)
    tool.unlink()
    tool.symlink_to(other)
    assert difference(before, look(launch(tool), {})).startswith("tool is another file now: ")


def test_the_script_of_an_interpreter_counts_too(tool: Path) -> None:
    python = tool.rename(tool.with_name("python3"))
    script = tool.parent.parent / "serve.py"
    script.write_text("1")
    before = look(launch(python, "-u", "serve.py", command="python3"), {})
    assert [file.name for file in before] == ["python3", "serve.py"]
    script.write_text("2")
    after = look(launch(python, "-u", "serve.py", command="python3"), {})
    assert "serve.py has changed" in difference(before, after)
    assert len(look(launch(python, "-m", "serve.py", command="python3"), {})) == 1


def test_what_is_missing_or_no_plain_file_is_left_to_the_start(tool: Path) -> None:
    assert look(launch(tool, command="nowhere"), {}) == ()
    assert look(launch(tool, command="./gone/tool"), {}) == ()
    (device,) = look(launch(tool, command="/dev/zero"), {})
    assert device.sha == ""


@pytest.mark.parametrize("value", [None, 7, ["x"], [{"name": "x"}], [{"name": 1, "path": "", "sha": ""}]])
def test_a_damaged_memory_is_none(value: object) -> None:
    assert from_json(value) is None


def test_what_is_written_is_read_again(tool: Path) -> None:
    files = look(launch(tool), {})
    assert from_json([file.as_json() for file in files]) == files


def test_a_script_behind_an_option_with_a_value_is_found(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text("1")
    found = look(LaunchCommand("python3", ("-X", "dev", "serve.py", "data.db"), dict(os.environ), str(tmp_path)), {})
    assert [file.name for file in found] == ["python3", "serve.py"]
