"""Programs are judged from the command line as they would be in this project, and nothing of them runs."""

from __future__ import annotations

import json

CODE = """from servers.demo import send_email
await send_email(to="team@acme.example", subject="One", body="x")
"""


def test_a_program_is_judged_with_the_tools_of_the_project_and_does_not_run(command, tmp_path):
    (tmp_path / "job.py").write_text(CODE)
    code, out, _ = command("assess", str(tmp_path / "job.py"))
    assert (code, out.splitlines()[0].startswith("job.py: medium, waits for your approval. ")) == (0, True), out
    assert "  line 2: medium, " in out
    _, outbox, _ = command("call", "demo", "list_outbox", "--output", "json")
    assert "team@acme.example" not in outbox


def test_findings_are_one_sarif_log_under_the_names_that_were_given(command, tmp_path):
    names = [str(tmp_path / name) for name in ("one.py", "two.py")]
    for name in names:
        (tmp_path / name).write_text(CODE)
    code, out, _ = command("assess", *names, "--sarif")
    (run,) = json.loads(out)["runs"]
    assert code == 0
    assert [one["location"]["uri"] for one in run["artifacts"]] == names
    assert {one["locations"][0]["physicalLocation"]["artifactLocation"]["index"] for one in run["results"]} == {0, 1}


def test_what_cannot_run_within_a_profile_is_a_failure(command, tmp_path):
    (tmp_path / "job.py").write_text(CODE)
    code, out, _ = command("assess", str(tmp_path / "job.py"), "--profile", "read_only", "--json")
    assert (code, json.loads(out)[0]["gate"]) == (1, "blocked"), out
