"""The door for scripts, as scripts see it: data on stdout, narration on stderr, exit codes."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys

import pytest

from workbench import __version__
from workbench.cli.common_options import MEANING
from workbench.cli.main import COMMAND_EXAMPLES, COMMANDS, arranger, main


def test_a_core_that_cannot_start_is_a_sentence_and_a_hint(run, paths):
    (paths.project / "broken").touch()
    code, out, err = run("audit", "verify")
    assert (code, out, err) == (1, "", "mcp-workbench: The rooms cannot open.\nRemove the file broken.\n")


@pytest.mark.parametrize(
    "arguments",
    [["audit"], ["audit", "burn"], ["status", "x"], ["a", "b"], ["--wrong"], ["audit", "query", "--limit", "x"]],
)
def test_wrong_usage_is_code_two(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["audit", "query", "--help"], ["status", "-h"]])
def test_help_is_no_fault(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    assert "usage: mcp-workbench" in capsys.readouterr().out


def test_the_first_help_names_every_command_and_every_exit_code(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(f"mcp-workbench {name}" in out for name in COMMANDS)
    assert all(f"{code}  {words}" in out for code, words in MEANING.items())
    assert "examples:" in out


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"mcp-workbench {__version__}\n"


def test_options_and_commands_of_version_0_1_are_read(paths, capsys):
    assert main(["status", "--bench", str(paths.project)]) == 4
    assert str(paths.project) in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["status", "--help"])
    assert "--bench" not in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["rehearse", "--help"])
    assert ended.value.code == 0
    assert "usage: mcp-workbench dry-run" in capsys.readouterr().out


def test_a_folder_is_the_project_of_the_window(paths):
    assert main([str(paths.project)]) == paths


def test_a_missing_folder_or_a_file_is_a_sentence_and_a_hint(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "nowhere")]) == 1
    assert "There is no folder" in capsys.readouterr().err
    assert main([str(tmp_path / "file")]) == 1
    assert "is not a folder" in capsys.readouterr().err


def test_a_word_that_is_neither_command_nor_folder_is_taken_for_a_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for word, said in (("nonsense", "There is no command nonsense"), ("statsu", "did you mean status?")):
        assert main([word]) == 1
        assert said in (told := capsys.readouterr().err)
        assert "There is no folder" not in told
    assert main(["./nonsense"]) == 1
    assert "There is no folder" in capsys.readouterr().err
    (tmp_path / "nonsense").mkdir()
    assert main(["nonsense"]).project == tmp_path / "nonsense"


def test_without_a_display_no_window_is_tried(paths, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert main([str(paths.project)]) == 1
    err = capsys.readouterr().err
    assert "There is no display" in err
    assert "serve" in err


def test_the_command_line_loads_neither_qt_nor_mcp():
    code = "import sys, workbench.cli.main, workbench.api.client; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"PySide6", "mcp", "sqlite3", "qasync", "pydantic"} & set(loaded)


def test_a_reader_that_has_enough_is_no_traceback(paths):
    command = f"{sys.executable} -m workbench --help | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: mcp-workbench")
    assert "Traceback" not in done.stderr


def test_every_command_shows_examples_and_each_of_them_is_right(capsys):
    assert set(COMMAND_EXAMPLES) == set(COMMANDS)
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert "examples:\n  mcp-workbench " in capsys.readouterr().out
        for example in COMMAND_EXAMPLES[name]:
            parser = argparse.ArgumentParser()
            arranger(name)(parser)
            words = shlex.split(example)
            assert words[0] == name
            assert parser.parse_args(words[1:]).run
