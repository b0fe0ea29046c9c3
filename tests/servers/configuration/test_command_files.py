"""A command is also the file behind it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from workbench.records import ServerConfig
from workbench.servers.configuration.launch_command import LaunchCommand, fingerprint
from workbench.servers.configuration.launch_consents import LaunchConsents, difference, look


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


@pytest.mark.parametrize("files", [7, ["x"], [{"name": "x"}], [{"name": 1, "path": "", "sha": ""}]])
def test_a_damaged_consent_asks_again_and_leaves_the_others(
    tmp_path: Path, files: object, caplog: pytest.LogCaptureFixture
) -> None:
    damaged, other = ServerConfig("a", "run"), ServerConfig("b", "go")
    stored = {fingerprint(damaged): {"server": "a", "files": files}, fingerprint(other): {"server": "b"}}
    (tmp_path / "allowed.json").write_text(json.dumps(stored))
    consents = LaunchConsents(tmp_path / "allowed.json")
    consents.read()
    assert not consents.allows(damaged)
    assert consents.allows(other)
    assert "left out" in caplog.text


def test_files_that_are_written_are_read_again(tool: Path, tmp_path: Path) -> None:
    files, config = look(launch(tool), {}), ServerConfig("a", "run")
    consents = LaunchConsents(tmp_path / "allowed.json")
    consents.give(config)
    assert consents.vouch(config, files) == ""
    again = LaunchConsents(tmp_path / "allowed.json")
    again.read()
    assert again.known(config) == {file.name: file for file in files}


def test_a_script_behind_an_option_with_a_value_is_found(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text("1")
    found = look(LaunchCommand("python3", ("-X", "dev", "serve.py", "data.db"), dict(os.environ), str(tmp_path)), {})
    assert [file.name for file in found] == ["python3", "serve.py"]
