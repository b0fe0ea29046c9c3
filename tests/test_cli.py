"""The door for scripts, as scripts see it: data on stdout, narration on stderr, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench import __version__, cli
from workbench.audit.journal import Journal
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import Note
from workbench.wire import start
from workbench.wire.client import connect
from workbench.wire.lock import holder


@pytest.fixture
def run(paths, monkeypatch, capsys):
    """Run a command against the bench of this test; whatever core it started is gone afterwards."""
    monkeypatch.setattr(start, "COMMAND", (sys.executable, str(Path(__file__).parent / "wire" / "fake_core.py")))

    def command(*arguments: str):
        code = cli.main([*arguments, "--bench", str(paths.bench)])
        words = capsys.readouterr()
        return code, words.out, words.err

    yield command
    deadline = time.monotonic() + 15
    while (pid := holder(paths.lock)) and time.monotonic() < deadline:
        os.kill(pid, signal.SIGTERM)
        time.sleep(0.02)


def start_core(paths: Paths) -> int:
    import asyncio

    async def begin() -> int:
        connection = await connect(paths)
        pid = (await connection.questions.status()).pid
        await connection.close()
        return pid

    return asyncio.run(begin())


def write(paths: Paths, *notes: Note) -> None:
    paths.state.mkdir(parents=True)
    journal = Journal(paths.audit)
    for note in notes:
        journal.append(note)
    journal.close()


def test_status_without_a_core_starts_none_and_has_a_code_of_its_own(run, paths):
    assert run("status") == (4, "", f"No core runs for {paths.bench}.\n")
    assert holder(paths.lock) == 0


def test_status_says_what_the_core_does(run, paths):
    pid = start_core(paths)
    code, out, err = run("status")
    assert (code, err) == (0, "")
    assert f"process {pid}" in out
    assert str(paths.bench) in out


def test_status_as_json_is_the_whole_record(run, paths):
    pid = start_core(paths)
    code, out, _ = run("status", "--json")
    status = json.loads(out)
    assert code == 0
    assert (status["pid"], status["strength"]["level"]) == (pid, "full")


def test_stop_ends_the_core_and_is_content_when_there_is_none(run, paths):
    start_core(paths)
    assert run("stop") == (0, "", "The core has ended.\n")
    assert holder(paths.lock) == 0
    assert run("stop") == (0, "", f"No core runs for {paths.bench}.\n")


def test_stop_ends_also_a_core_that_does_not_understand_us(run, paths, monkeypatch):
    start_core(paths)
    monkeypatch.setattr("workbench.wire.client.__version__", "99.0")
    code, _, err = run("stop")
    assert code == 0
    assert "It is ended by a signal." in err
    assert holder(paths.lock) == 0


def test_verify_of_a_whole_audit(run, paths):
    write(paths, Note("call.done", "Called"))
    code, out, _ = run("audit", "verify")
    assert code == 0
    assert out.startswith("The audit is whole: 2 entries, head ")
    code, out, _ = run("audit", "verify", "--json")
    assert json.loads(out)["whole"] is True


def test_verify_of_a_broken_audit_has_a_code_of_its_own(run, paths):
    import sqlite3

    write(paths, Note("call.done", "Called"), Note("call.done", "Again"))
    store = sqlite3.connect(paths.audit)
    store.executescript("DROP TRIGGER entries_stay; UPDATE entries SET summary = 'Never' WHERE seq = 1;")
    store.close()
    code, out, _ = run("audit", "verify")
    assert code == 3
    assert out == "The audit is not whole at entry 1: its content is not what was written.\n"


def test_query_prints_what_fits_and_tames_control_characters(run, paths):
    write(paths, Note("call.done", "First"), Note("call.failed", "Second \x1b[31m\n", ok=False, server="demo"))
    code, out, _ = run("audit", "query", "--kind", "call.", "--limit", "1")
    assert code == 0
    assert out.count("\n") == 1
    assert "FAIL  call.failed       Second \\x1b[31m\\n" in out


def test_query_as_json_is_a_list_of_entries(run, paths):
    write(paths, Note("call.done", "First", detail={"ä": [1]}))
    _, out, _ = run("audit", "query", "--text", "first", "--json")
    (entry,) = json.loads(out)
    assert (entry["seq"], entry["note"]["detail"]) == (1, {"ä": [1]})


def test_a_query_without_an_answer_says_so_beside_the_data(run, paths):
    assert run("audit", "query", "--tool", "nothing") == (0, "", "No entry fits.\n")


def test_a_core_that_cannot_start_is_a_sentence_and_a_hint(run, paths):
    (paths.bench / "broken").touch()
    code, out, err = run("audit", "verify")
    assert (code, out, err) == (1, "", "mcp-workbench: The rooms cannot open.\nRemove the file broken.\n")


@pytest.mark.parametrize(
    "arguments",
    [["audit"], ["audit", "burn"], ["status", "x"], ["a", "b"], ["--wrong"], ["audit", "query", "--limit", "x"]],
)
def test_wrong_usage_is_code_two(arguments):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["audit", "query", "--help"], ["status", "-h"]])
def test_help_is_no_fault(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 0
    assert "usage: mcp-workbench" in capsys.readouterr().out


def test_the_first_help_names_every_command_and_every_exit_code(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out
    assert all(f"mcp-workbench {name}" in out for name in cli._COMMANDS)
    assert all(f"{code} " in out for code in (cli.DONE, cli.FAULT, cli.USAGE, cli.BROKEN, cli.NOT_RUNNING))
    assert "examples:" in out


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"mcp-workbench {__version__}\n"


def test_a_folder_is_the_bench_of_the_window(paths):
    assert cli.main([str(paths.bench)]) == paths


def test_a_missing_folder_or_a_file_is_a_sentence_and_a_hint(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert cli.main([str(tmp_path / "nowhere")]) == 1
    assert "There is no folder" in capsys.readouterr().err
    assert cli.main([str(tmp_path / "file")]) == 1
    assert "is not a folder" in capsys.readouterr().err


def test_without_a_display_no_window_is_tried(paths, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert cli.main([str(paths.bench)]) == 1
    err = capsys.readouterr().err
    assert "There is no display" in err
    assert "serve" in err


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_any_kind_of_display_will_do(name):
    cli.check_window({name: "x"}, (3, 11), "6.11.3")


@pytest.mark.parametrize(
    ("python", "qt", "words"),
    [((3, 11), "6.12.0", "crashes on Python 3.11"), ((3, 11), "7.0", "crashes"), ((3, 12), "", "not installed")],
)
def test_a_qt_that_cannot_work_is_refused(python, qt, words):
    with pytest.raises(WorkbenchError, match=words):
        cli.check_window({"DISPLAY": ":0"}, python, qt)


@pytest.mark.parametrize(
    ("python", "qt"), [((3, 11), "6.11.3"), ((3, 11), "6.10"), ((3, 12), "6.12.0"), ((3, 14), "6.13")]
)
def test_a_qt_that_works_is_let_through(python, qt):
    cli.check_window({"DISPLAY": ":0"}, python, qt)


def test_the_command_line_loads_neither_qt_nor_mcp():
    code = "import sys, workbench.cli, workbench.wire.client; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"PySide6", "mcp", "sqlite3", "qasync", "pydantic"} & set(loaded)


def test_a_reader_that_has_enough_is_no_traceback(paths):
    command = f"{sys.executable} -m workbench --help | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: mcp-workbench")
    assert "Traceback" not in done.stderr
