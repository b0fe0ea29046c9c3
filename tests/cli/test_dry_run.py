"""A dry run from the command line lists what would happen, and nothing of it happens."""

from __future__ import annotations

import io
import json
import sys

import pytest

CODE = """
from servers.demo import list_orders, send_email
found = (await list_orders(limit=1))["orders"]
await send_email(to="team@acme.example", subject="One", body=found[0]["id"])
open("workspace/from_cli.txt", "w").write("x")
"""


def test_the_plan_is_printed_and_nothing_was_sent(command, project, tmp_path):
    file = tmp_path / "job.py"
    file.write_text(CODE)
    code, out, err = command("dry-run", str(file))
    assert code == 0, err
    assert out.splitlines()[0].startswith("  1  demo.send_email(to=team@acme.example, subject=One")
    assert "cannot be undone" in out
    assert "Changes workspace/from_cli.txt" in out
    assert not (project.workspace / "from_cli.txt").exists()
    _, outbox, _ = command("call", "demo", "list_outbox", "--output", "json")
    assert "team@acme.example" not in outbox


def test_a_plan_is_json_too_and_a_program_that_fails_shows_what_came_before(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(CODE + 'raise ValueError("too bad")'))
    code, out, err = command("dry-run", "-", "--json")
    found = json.loads(out)
    assert (code, found["state"]) == (1, "failed")
    assert "too bad" in err
    assert [one["tool"] for one in found["plan"]] == ["send_email", "workspace"]
    assert json.loads(found["plan"][0]["arguments"])["to"] == "team@acme.example"


@pytest.mark.parametrize("name", ["missing.py", "."])
def test_a_file_that_cannot_be_read_is_said(run, name, tmp_path):
    code, out, err = run("dry-run", str(tmp_path / name))
    assert (code, out) == (1, "")
    assert "cannot be read" in err
