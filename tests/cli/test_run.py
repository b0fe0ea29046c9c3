"""A program or skill from the command line is judged, answered for, run and told of: real core, sandbox and server."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from functools import partial

import pytest

from workbench.cli import consents
from workbench.cli.program_runs import as_json
from workbench.cli.skills import _parse_untyped
from workbench.records import Origin, Proposal, Run, RunState

READS = """
from servers.demo import list_orders
page = await list_orders(limit=3)
print("read", len(page["orders"]))
result = {"ids": len(page["orders"])}
"""
SENDS = (
    'from servers.demo import send_email\nawait send_email(to="a@acme.example", subject="s", body="b")\nresult = "sent"'
)


def write(tmp_path, code):
    file = tmp_path / "job.py"
    file.write_text(code)
    return str(file)


def test_what_it_prints_and_its_result_are_the_data(command, tmp_path):
    code, out, err = command("run", write(tmp_path, READS))
    assert (code, out, err) == (0, 'read 3\n{\n  "ids": 3\n}\n', "")


def test_json_has_the_run_its_result_and_its_stats(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(READS + "return result"))
    code, out, _ = command("run", "-", "--json")
    told = json.loads(out)
    assert (code, told["state"], told["result"], told["output"]) == (0, "done", {"ids": 3}, "read 3\n")
    assert told["stats"]["tools_called"] == ["demo.list_orders"]
    assert told["stats"]["duration"] > 0 < told["stats"]["tokens_used"]


def test_what_needs_a_yes_is_refused_where_nobody_is(command, tmp_path):
    code, out, err = command("run", write(tmp_path, SENDS))
    assert (code, out) == (6, "")
    assert "The program needs approval" in err
    assert "--yes" in err


def test_yes_allows_it_once(command, tmp_path):
    code, out, err = command("run", write(tmp_path, SENDS), "--yes")
    assert (code, out) == (0, "sent\n"), err
    assert "Allowed once by --yes." in err


@pytest.mark.parametrize(("typed", "exit_code", "shown"), [("y\n", 0, "sent\n"), ("\n", 7, "")])
def test_on_a_terminal_a_person_is_asked_and_no_is_the_default(command, tmp_path, monkeypatch, typed, exit_code, shown):
    asked = []

    async def line(question):
        asked.append(question)
        return typed

    monkeypatch.setattr(consents, "terminal_reader", lambda busy: line)
    code, out, err = command("run", write(tmp_path, SENDS))
    assert (code, out) == (exit_code, shown), err
    assert asked == ["Allow it once? [y/N] "]
    assert "send_email" in err


def test_only_the_named_tools_can_be_called(command, tmp_path):
    code, _, err = command("run", write(tmp_path, READS), "--tools", "demo.count_orders")
    assert code == 7
    assert "list_orders" in err
    assert command("run", write(tmp_path, READS), "--tools", "demo")[0] == 0


def test_a_program_that_fails_says_where_and_what_it_printed(command, tmp_path):
    code, out, err = command("run", write(tmp_path, "print('before')\nraise ValueError('too bad')"))
    assert (code, out) == (1, "before\n")
    assert "ValueError: too bad" in err


def test_a_program_that_runs_too_long_is_ended(command, tmp_path):
    code, _, err = command("run", write(tmp_path, "while True: pass"), "--timeout", "0.2", "--yes")
    assert code == 1
    assert "0.2" in err or "long" in err, err


def test_ctrl_c_stops_the_program(command, project, tmp_path):
    file = write(tmp_path, "import time\nprint('begun', flush=True)\nwhile True: time.sleep(0.05)")
    ours = [sys.executable, "-m", "workbench", "run", file, "--yes", "--project", str(project.project)]
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a background job inherits that it is ignored
    with subprocess.Popen(ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heeds) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"begun\n"  # what is printed is streamed
            child.send_signal(signal.SIGINT)
            assert child.wait(60) == 130
        finally:
            child.kill()
    _, out, _ = command("status", "--json")
    assert json.loads(out)["running"] == 0


def test_a_long_result_comes_whole(command, tmp_path):
    code, out, _ = command("run", write(tmp_path, "print('x' * 70_000)\nresult = 'y' * 70_000"))
    assert (code, out) == (0, "x" * 70_000 + "\n" + "y" * 70_000 + "\n")


def test_a_run_that_was_never_judged_is_json_too():
    run = Run("id", Proposal("id", "", "", Origin.PERSON, "", ""), RunState.STOPPED)
    assert as_json(run)["result"] is None


def test_the_kept_ones_are_listed_and_found(command):
    code, out, _ = command("skills", "list")
    assert max(map(len, out.splitlines())) <= 100
    assert [line for line in out.splitlines() if line.endswith("…")]
    assert code == 0
    assert any(line.split()[:3] == ["pending-orders-summary", "version", "1"] for line in out.splitlines())
    _, out, _ = command("skills", "list", "--search", "wait for a message", "--json")
    assert json.loads(out)[0]["name"] == "wait-for-message"


def test_anything_is_found_by_words(command):
    code, out, _ = command("search", "find", "pay", "an", "order", "back", "--limit", "5")
    assert code == 0
    assert any(line.split()[:2] == ["tool", "demo.refund_order"] for line in out.splitlines())
    _, out, _ = command("search", "find", "orders", "--kind", "skill", "--json")
    assert {one["kind"] for one in json.loads(out)["finds"]} == {"skill"}


def test_one_is_read(command):
    code, out, err = command("skills", "show", "pending-orders-summary")
    assert code == 0
    assert "async def pending_orders_summary" in out
    assert "version 1" in err
    assert command("skills", "show", "nothing")[0] == 1


def test_one_is_run_with_arguments(command):
    code, out, err = command(
        "skills", "run", "pending-orders-summary", "--arg", "minimum_amount=500", "--arg", "show=2"
    )
    assert code == 0, err
    assert json.loads(out)


def test_arguments_that_cannot_be_are_said(command):
    assert command("skills", "run", "pending-orders-summary", "--arg", "nonsense")[0] == 2
    code, _, err = command("skills", "run", "pending-orders-summary", "--arg", "a-b=1")
    assert code == 1
    assert "a-b" in err


@pytest.mark.parametrize(
    ("pair", "meant"),
    [("a=1", "a:=1"), ("a=x", "a=x"), ('a="1"', 'a="1"'), ("a=[1]", "a:=[1]"), ("a=true", "a:=true"), ("a:=1", "a:=1")],
)
def test_what_reads_as_json_is_json(pair, meant):
    assert _parse_untyped(pair) == meant
