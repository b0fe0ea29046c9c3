"""The doctor for scripts."""

from __future__ import annotations

import json


def test_this_machine_is_looked_at_line_by_line(command):
    code, out, _ = command("doctor")
    assert code == 0
    assert any("Audit" in line and line.startswith("good") for line in out.splitlines())


def test_a_server_that_works_is_good_in_every_line(command):
    code, out, _ = command("doctor", "demo")
    assert code == 0
    assert "FAILED" not in out
    assert "Connection" in out


def test_what_nobody_allowed_is_not_started_and_said(command):
    _, out, _ = command("doctor", "strange", "--json")
    checks = {check["name"]: check for check in json.loads(out)}
    assert checks["Connection"]["state"] == "skipped"


def test_an_unknown_server_is_a_sentence(command):
    code, _, err = command("doctor", "nope")
    assert code == 1
    assert "nope" in err
