"""The command that judges sets of programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.analysis.__main__ import main

ROOT = Path(__file__).parents[2]


def _run(text: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "workbench.analysis", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_program_on_standard_input_gives_one_verdict() -> None:
    (verdict,) = _run("import os\nos.system('id')\n")
    assert (verdict["risk"], verdict["gate"]) == ("high", "refused")


def test_lines_of_json_give_a_verdict_each_under_their_id() -> None:
    verdicts = _run('{"code": "print(1)", "id": "a"}\n{"code": "exec(x)"}\n')
    assert [(v["id"], v["risk"]) for v in verdicts] == [("a", "low"), ("2", "high")]


def test_files_are_judged_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("print(1)")
    (tmp_path / "b.py").write_bytes(b"x = '\xff'")
    assert main([str(tmp_path / "a.py"), str(tmp_path / "b.py")]) == 0
    verdicts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [v["gate"] for v in verdicts] == ["auto", "blocked"]


def test_nothing_to_read_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_there_is_one_line_out_for_each_line_in() -> None:
    lines = ["{broken", '{"code": "print(1)"}', '{"code": 3, "id": "x"}', "[]", '{"code": "\\ud800"}', "[" * 100_000]
    lines += ['{"code": "' + "(" * 5000 + '"}', '{"code": "' + "-" * 50_000 + '1"}', '{"code": "x\\u0000"}']
    verdicts = _run("\n".join(lines))
    assert len(verdicts) == len(lines)
    assert [v["gate"] for v in verdicts[:5]] == ["ask", "auto", "ask", "ask", "blocked"]
    assert [bool(v.get("error")) for v in verdicts[:5]] == [True, False, True, True, False]


def test_a_file_that_is_not_there_is_told_on_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.py")]) == 0
    assert "cannot be read" in json.loads(capsys.readouterr().out)["error"]
