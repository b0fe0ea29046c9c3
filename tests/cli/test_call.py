"""Calls from a script reach a real server through the broker, and the exit code says what came of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from workbench.api.client import connect
from workbench.records import EntryQuery


async def sent(api, word):
    return [frame for frame in await api.frames("demo", 0.0) if frame.direction == ">" and word in frame.text]


def until(project, question):
    """Ask until there is an answer."""

    async def ask():
        connection = await connect(project)
        async with asyncio.timeout(60):
            while not await question(connection.api):
                await asyncio.sleep(0.02)
        await connection.close()

    asyncio.run(ask())


def test_a_call_prints_the_answer_and_nothing_else(command):
    code, out, err = command("call", "demo", "list_orders", "--arg", "limit=2")
    assert (code, err) == (0, "")
    assert len(json.loads(out)["orders"]) == 2


def test_arguments_come_as_json_and_pairs_win(command):
    code, out, _ = command("call", "demo", "list_orders", "--json", '{"limit": 5, "offset": 1}', "-a", "limit=1")
    assert [order["id"] for order in json.loads(out)["orders"]] == ["ORD-00002"]
    assert code == 0


def test_the_whole_outcome_as_json(command):
    _, out, _ = command("call", "demo", "list_orders", "-a", "limit=1", "--output", "json")
    outcome = json.loads(out)
    assert (outcome["ok"], outcome["isError"], outcome["fault"]) == (True, False, None)
    assert outcome["structuredContent"]["total"] == 10_000
    assert outcome["content"][0]["type"] == "text"


def test_a_long_answer_is_whole(command):
    _, out, _ = command("call", "demo", "list_orders", "-a", "limit=1000", "--output", "json")
    assert len(json.loads(out)["structuredContent"]["orders"]) > 300


def test_a_picture_is_a_line_in_text_and_whole_in_json(command):
    assert "[image image/png " in command("call", "demo", "order_chart")[1]
    _, out, _ = command("call", "demo", "order_chart", "--output", "json")
    assert any(block.get("data", "").startswith("iVBOR") for block in json.loads(out)["content"])


def test_a_tool_that_answers_with_an_error_has_a_code_of_its_own(command):
    code, out, err = command("call", "demo", "broken_report", "-a", "quarter=2025-Q1")
    assert code == 5
    assert out
    assert "Traceback" not in err


def test_a_risky_call_needs_a_yes(command):
    code, out, err = command("call", "demo", "delete_customer", "-a", "customer_id=CUS-0001")
    assert (code, out) == (6, "")
    assert "delete_customer may delete or overwrite data for good: demo says so." in err
    assert "--yes" in err
    assert command("call", "demo", "delete_customer", "-a", "customer_id=CUS-0001", "--yes")[0] in (0, 5)


def at_a_terminal(project, answer, *arguments):
    """Run the command line with a terminal as stdin and stderr, and type the answer when it asks."""
    here, there = pty.openpty()
    words = [sys.executable, "-m", "workbench", *arguments, "--project", str(project.project)]
    process = subprocess.Popen(words, stdin=there, stderr=there, stdout=subprocess.PIPE)
    os.close(there)
    said = b""
    with process, contextlib.suppress(OSError):  # the terminal closes with the process
        while piece := os.read(here, 4096):
            said += piece
            if said.endswith(b": ") and b"Call it?" in said:
                os.write(here, f"{answer}\n".encode())
    os.close(here)
    return process.returncode, said.decode()


def test_at_a_terminal_a_call_asks_and_a_lasting_yes_is_kept_for_own_calls(project, command):
    given = ("call", "demo", "delete_customer", "-a", "customer_id=CUS-0002")
    code, said = at_a_terminal(project, "n", *given)
    assert code == 6
    assert said.count("delete_customer may delete or overwrite data for good: demo says so.") == 1
    assert "You did not confirm the call." in said
    assert "[a]lways call this tool, [t]rust this server, [N]o" in said
    code, said = at_a_terminal(project, "a", *given)
    assert code == 0
    assert "You can call demo.delete_customer without being asked; this does not apply to programs and agents." in said
    assert command("call", "demo", "delete_customer", "-a", "customer_id=CUS-0003")[0] == 0, "nobody is asked any more"


def test_a_server_nobody_allowed_is_shown_with_its_whole_command(command):
    code, out, err = command("call", "strange", "x")
    assert (code, out) == (6, "")
    assert f"TOKEN=x {sys.executable} -m nobody.knows" in err
    assert "--allow" in err


def test_an_allowed_server_that_cannot_start_is_a_fault(command):
    code, _, err = command("call", "strange", "x", "--allow")
    assert code == 1
    assert "Allowed by --allow" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-a", "limit=many"), "limit takes a whole number, not 'many'."),
        (("-a", "limit"), "'limit' is not an argument."),
        (("--json", "{"), "--json is not valid JSON"),
        (("--json", "@/nowhere"), "cannot be read"),
    ],
)
def test_wrong_arguments_are_wrong_usage(command, arguments, words):
    code, out, err = command("call", "demo", "list_orders", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_an_argument_the_schema_does_not_name_is_told(command):
    _, _, err = command("call", "demo", "list_orders", "-a", "limits=1")
    assert "does not name limits; it has: " in err


def test_an_unknown_tool_is_a_sentence(command):
    code, _, err = command("call", "demo", "list_order")
    assert code == 1
    assert "list_orders" in err


def listen_to_the_keyboard() -> None:
    """Tests that a shell began in the background ignore Ctrl+C, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupting_cancels_the_call_at_the_server(project):
    """A real child process with a real Ctrl+C; the audit knows of the cancelled call."""
    words = [sys.executable, "-m", "workbench", "call", "demo", "export_orders", "-a", "seconds=60"]
    child = subprocess.Popen(
        [*words, "--project", str(project.project)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_the_keyboard,
    )
    until(project, lambda api: sent(api, "export_orders"))
    os.kill(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, "")
    assert "Traceback" not in err
    until(project, lambda api: api.entries(EntryQuery(kind="call.cancelled", tool="export_orders")))
    until(project, lambda api: sent(api, "notifications/cancelled"))


def test_a_reader_that_leaves_early_is_no_traceback(project):
    call = f"{sys.executable} -m workbench call demo list_orders -a limit=300 --project {project.project}"
    done = subprocess.run(["sh", "-c", f"{call} | head -c 20"], capture_output=True, text=True, check=True)
    assert done.stdout == '{"orders": [{"id": "'
    assert "Traceback" not in done.stderr
