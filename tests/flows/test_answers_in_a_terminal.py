"""Without a window: an agent's requests are shown and answered in a terminal by the user, and by nobody else.

Everything is real: `serve` as a child of an MCP client in a process of its own, the core, and the command line on a
pseudo terminal.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.broker.test_run_guard import READ, SEND
from tests.flows.on_a_terminal import OnTerminal
from workbench.cli.review_screen import SETTLE_SECONDS
from workbench.records import Decision, EntryQuery, RunState

COMMAND = (sys.executable, "-m", "workbench")
DELETES = {"code": "import os\nos.remove('workspace/old.txt')\nresult = 'gone'\n", "description": "tidy up"}
WORD = "workspace/old.txt"  # what makes that program risky
ASKS = "Enter leaves it waiting: "
HANG = 60


class Agent:
    """An MCP client in another process, told what to do."""

    def __init__(self, process):
        self._process = process

    async def __call__(self, **order):
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return json.loads(await asyncio.wait_for(self._process.stdout.readline(), HANG))

    async def call(self, tool, timeout=None, **arguments):
        return await self(tool=tool, arguments=arguments, timeout=timeout)

    async def propose(self, comment="", **more):
        """A program that needs the user; its id. The same program again would join the one that waits."""
        answer = await self.call("execute_code", **{**DELETES, "code": DELETES["code"] + comment}, **more)
        assert answer["facts"]["state"] == "waiting", answer
        return answer["facts"]["run"]


@pytest.fixture
def settings(paths):
    """At once, as no window is there; and this machine need not have containers."""
    paths.user_settings.parent.mkdir(parents=True, exist_ok=True)
    paths.user_settings.write_text(
        '[agent]\nwait_seconds = 0\n[isolation]\nhigh = "process"\nmedium = "process"\n', encoding="utf-8"
    )
    paths.workspace.mkdir(parents=True, exist_ok=True)
    (paths.workspace / "old.txt").write_text("x", encoding="utf-8")
    github = {"command": sys.executable, "args": ["-m", "workbench.demo"], "env": {"TOKEN": "hunter2"}}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"github": github}}), encoding="utf-8")
    return paths


@pytest.fixture
async def client(settings, person):
    """`person` looks on by the wire, as a script may: it is no window that attends, so nobody is there to answer."""
    await person.api.connect("demo")
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(Path(__file__).with_name("agent_client.py")), str(settings.project),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    yield Agent(process)
    process.stdin.close()
    await asyncio.wait_for(process.wait(), HANG)


@pytest.fixture
def command(settings):
    started = []

    def start(*words, **more):
        started.append(OnTerminal([*COMMAND, *words, "--project", str(settings.project)], **more))
        return started[-1]

    yield start
    for terminal in started:
        terminal.kill()


async def over(there):
    said = await there.end()
    return there.code, said


async def test_a_request_is_listed_shown_and_allowed_and_its_answer_fetched(client, command, person):
    run_id = await client.propose()
    code, said = await over(command("runs", "list"))
    assert (code, run_id in said, "program waits" in said) == (0, True, True)
    code, said = await over(command("runs", "list", "--json"))
    (listed,) = json.loads(said)
    assert (listed["id"], listed["kind"], listed["risk"], listed["state"]) == (run_id, "program", "high", "waiting")
    code, said = await over(command("runs", "show", run_id, "--json"))
    assert json.loads(said)["proposal"]["code"] == DELETES["code"]

    allow = command("runs", "allow", run_id[:6])
    shown = await allow.answer(ASKS, "allow")
    for fact in (
        "Deletes workspace/old.txt.",
        "the agent “mcp”",
        "“tidy up” (its author's claim)",
        "line 2: high: Deletes workspace/old.txt",
        "! 2  os.remove('workspace/old.txt')",
        "denied in 4 min",
    ):
        assert fact in shown, shown
    again = await allow.answer(ASKS, WORD)
    assert "“allow” is not one of these answers" in again, "for high risk the name is typed"
    assert "Allowed." in await allow.end()
    assert allow.code == 0
    answer = await client.call("get_run", run_id=run_id, wait=40)
    assert answer["text"] == 'result = "gone"'

    (entry,) = await person.api.entries(EntryQuery(kind="run.decided"))
    assert f"process {allow.pid}" in entry.note.detail["terminal"]
    assert entry.note.detail["terminal"].startswith("/dev/pts/")


MAILS = """from servers.demo import send_email
result = await send_email(to="bob@acme.example", subject="{}", body="b")
"""
LASTING = (
    "Programs may call demo.send_email without asking when “to” is “bob@acme.example”, with any “subject” and “body”"
    " but no other argument, from any agent, until you revoke it."
)


async def test_a_lasting_answer_is_chosen_by_its_number_and_lets_the_next_program_run(client, command, person):
    waits = await client.call("execute_code", code=MAILS.format("first"))
    allow = command("runs", "allow", waits["facts"]["run"])
    shown = await allow.answer(ASKS, "allow 99")
    assert "and a number to make one of these rules" in shown
    (number,) = [line.partition(".")[0].strip() for line in shown.splitlines() if line.strip().endswith(LASTING)]
    assert "is not one of these answers" in await allow.answer(ASKS, f"allow {number}")
    assert (await over(allow))[0] == 0
    assert [one.label for one in (await person.api.permissions()).rules] == [LASTING]
    again = await client.call("execute_code", code=MAILS.format("second"))
    assert again["facts"]["state"] == "done", again


async def test_a_client_that_times_out_finds_its_answer_later(client, command, person, paths):
    await person.api.change_setting("agent.wait_seconds", 3600)
    answer = await client.call("execute_code", timeout=2, **DELETES)
    assert "fault" in answer, "the client gave up"
    (run,) = [run for run in await person.api.runs() if run.state is RunState.WAITING]
    unknown = await client.call("get_run", run_id="?")
    assert f"{run.id}: waiting" in unknown["text"], "it can find its run without having been told"
    allow = command("runs", "allow", run.id)
    await allow.answer(ASKS, WORD)
    assert (await over(allow))[0] == 0
    answer = await client.call("get_run", run_id=run.id, wait=40)
    assert (answer["facts"]["state"], answer["text"]) == ("done", 'result = "gone"')


async def test_a_denial_tells_its_reason(client, command):
    run_id = await client.propose()
    deny = command("runs", "deny", run_id)
    await deny.answer(ASKS, "deny")
    await deny.answer("Enter for no reason): ", "We keep that.")
    assert (await over(deny))[0] == 0
    answer = await client.call("get_run", run_id=run_id, wait=40)
    assert answer["facts"]["state"] == "refused"
    assert "We keep that." in answer["text"]


async def test_a_denial_is_undone_all_are_denied_an_agent_is_muted_and_a_program_is_put_back(client, command, person):
    first, second = await client.propose(), await client.propose("# again", timeout=20)
    deny = command("runs", "deny", first, "--reason", "Not that one")
    await deny.answer(ASKS, "deny")
    await deny.answer("Enter ends: ", "undo")
    code, said = await over(deny)
    assert (code, "waits again" in said) == (6, True), said
    assert (await person.api.run(first)).awaits_answer
    everything = command("runs", "deny", "--all", "--agent", "mcp", "--mute")
    shown = await everything.answer("Enter leaves them waiting: ", "deny")
    assert first in shown
    assert second in shown
    code, said = await over(everything)
    assert (code, "Denied: 2." in said) == (0, True), said
    muted = await client.call("execute_code", **DELETES)
    assert "denies all further requests" in muted["text"]
    assert (await over(command("runs", "unmute", "mcp")))[0] == 0
    revive = command("runs", "revive", first)
    await revive.answer("Enter leaves it: ", "revive")
    assert (await over(revive))[0] == 0
    again = (await person.api.run(first)).revived_as
    allow = command("runs", "allow", again)
    await allow.answer(ASKS, WORD)
    assert (await over(allow))[0] == 0
    answer = await client.call("get_run", run_id=first, wait=40)
    assert answer["text"] == 'result = "gone"', "the old id leads to the new run"


async def test_the_arguments_of_a_held_call_are_changed_in_an_editor(client, command, person, tmp_path):
    await person.api.change_setting("approval.auto_medium", True)
    await client.call("execute_code", code=READ)
    run_id = (await client.call("execute_code", code=SEND))["facts"]["run"]
    held = await person.api.held_calls()
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\nsed -i s/records@collect-data.example/team@acme.example/ "$1"\n')
    script.chmod(0o755)
    edit = command("calls", "edit", held[0].id, EDITOR=str(script), VISUAL="")
    shown = await edit.answer(ASKS, "allow")
    if "is not one of" in shown or "send_email to allow" in shown:
        await edit.answer(ASKS, "send_email")
    assert "team@acme.example" in shown
    code, said = await over(edit)
    assert code == 0, said
    answer = await client.call("get_run", run_id=run_id, wait=40)
    assert "The user changed the arguments of this call" in answer["text"]


async def test_one_screen_answers_everything_that_waits(client, command, person):
    first = await client.propose()
    other = {**DELETES, "code": DELETES["code"].replace("gone", "away") + "print(result)"}  # else they are a group
    second = (await client.call("execute_code", **other))["facts"]["run"]
    review = command("review", TERM="xterm-256color", COLORTERM="")
    await review.shows("2 waiting")
    await review.shows("time paused")
    await review.shows("'gone'")  # the older one
    review.press("d")
    await review.shows("Denied:")
    await review.shows("'away'")
    await asyncio.sleep(SETTLE_SECONDS)
    review.press("a")
    await review.shows("type workspace/old.txt")
    review.press(f"{WORD}\r")
    await review.shows("Allowed:")
    assert (await client.call("get_run", run_id=second, wait=40))["facts"]["state"] == "done"
    decided = (await person.api.run(second)).decision
    assert (decided.by, decided.terminal.startswith("/dev/pts")) == ("you, at a terminal", True)
    review.press("q")
    code, said = await over(review)
    assert code == 0, said
    assert (await client.call("get_run", run_id=first, wait=40))["facts"]["state"] == "refused"


async def test_a_killed_core_is_said_on_the_screen(client, command, person):
    await client.propose()
    review = command("review", TERM="xterm-256color")
    await review.shows("1 waiting")
    await person.api.shut_down()
    await review.shows("has ended")
    review.press("q")
    assert (await over(review))[0] == 0


async def test_nothing_typed_leaves_it_waiting(client, command, person):
    run_id = await client.propose()
    allow = command("runs", "allow", run_id)
    await allow.answer(ASKS, "")
    code, said = await over(allow)
    assert (code, "Nothing was decided." in said) == (6, True)
    assert (await person.api.run(run_id)).state is RunState.WAITING


async def test_an_agent_with_a_shell_cannot_answer_for_its_user(client, settings, person):
    run_id = await client.propose()
    at = ("--project", str(settings.project))
    servers = ("servers", "allow", "github"), ("servers", "trust", "github")
    for words in (("runs", "allow", run_id), ("runs", "edit", run_id), *servers, ("pin", "set"), ("review",)):
        tried = await client(shell=[*COMMAND, *words, *at])
        assert (tried["code"], "an agent must not answer for its user" in tried["said"]) == (1, True), tried
        code, said = tried["piped"]
        assert (code, "needs an interactive terminal" in said) == (6, True), tried
    script = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom workbench.paths import paths_of\n"
        "from workbench.records import Decision\nfrom workbench.api.client import connect\n"
        "async def main():\n"
        "    asked = (await connect(paths_of(Path(sys.argv[1])), start=False)).api\n"
        "    run = await asked.run(sys.argv[2])\n"
        "    await asked.decide(Decision(run.id, run.proposal.sha, True, 'you', fingerprint=run.fingerprint))\n"
        "asyncio.run(main())\n"
    )
    tried = await client(shell=[sys.executable, "-c", script, str(settings.project), run_id])
    assert (tried["code"], "an agent must not answer for its user" in tried["said"]) == (1, True), (
        "a window's own words"
    )
    for question in (
        "decide_files(sys.argv[2], ('old.txt',), ())",
        "revoke_permission('any')",
        "unmark_privacy('any')",
    ):
        other = script.replace(
            "decide(Decision(run.id, run.proposal.sha, True, 'you', fingerprint=run.fingerprint))", question
        )
        assert other != script
        tried = await client(shell=[sys.executable, "-c", other, str(settings.project), run_id])
        assert "an agent must not answer for its user" in tried["said"], tried
    tried = await client(shell=[*COMMAND, "call", "github", "list_orders", "--allow", *at])
    assert "an agent must not answer for its user" in tried["said"]
    assert (await person.api.run(run_id)).state is RunState.WAITING
    assert not next(s for s in await person.api.servers() if s.config.name == "github").allowed


async def test_without_a_terminal_the_remedy_is_told(client, settings):
    run_id = await client.propose()
    for words in (("runs", "allow", run_id), ("runs", "deny", run_id, "--reason", "x"), ("pin", "set")):
        done = await asyncio.to_thread(
            subprocess.run, [*COMMAND, *words, "--project", str(settings.project)], input=f"{WORD}\n", text=True,
            capture_output=True, start_new_session=True, check=False,
        )  # fmt: skip
        assert done.returncode == 6
        assert "needs an interactive terminal" in done.stderr
        assert "in a terminal of your own, or answer in the workbench's window" in done.stderr


async def test_a_pin_is_asked_for_and_wrong_ones_wait_longer_and_longer(client, command, person):
    setting = command("pin", "set")
    await setting.answer("New PIN: ", "orange 1")
    await setting.answer("Repeat the new PIN: ", "orange 1")
    assert (await over(setting))[0] == 0
    run_id = await client.propose()
    allow = command("runs", "allow", run_id)
    await allow.answer(ASKS, WORD)
    await allow.answer("Your PIN: ", "apple")
    shown = await allow.answer("Your PIN: ", "orange 1")
    assert "The PIN is wrong." in shown
    code, said = await over(allow)
    assert (code, "Allowed." in said) == (0, True)
    assert "orange" not in allow.said, "a PIN is not shown while it is typed"

    wrong = command("pin", "clear")
    for guess in range(4):
        await wrong.answer("Your PIN: ", f"guess {guess}")
        code, said = await over(wrong)
        assert code == 1
        wrong = command("pin", "clear")
    assert "before the next attempt" in said
    await wrong.answer("Your PIN: ", "orange 1")
    code, said = await over(wrong)
    assert (code, "Too many wrong PINs" in said) == (1, True), "also the right one has to wait"
    assert await person.api.has_pin()


async def test_of_two_answers_one_counts_and_the_other_is_told(client, command, person):
    run_id = await client.propose()
    one, other = command("runs", "allow", run_id), command("runs", "deny", run_id)
    await one.until(ASKS)
    await other.until(ASKS)
    run = await person.api.run(run_id)
    await person.api.decide(Decision(run_id, run.proposal.sha, False, "you", fingerprint=run.fingerprint))
    for there in (one, other):
        code, said = await over(there)
        assert (code, "The program was denied by you, in the window." in said) == (1, True), said
    code, said = await over(command("runs", "allow", run_id))
    assert (code, f"{run_id} is not waiting for you: its state is “refused”, and it was denied" in said) == (1, True), (
        said
    )


async def test_unknown_ids_and_no_core_are_sentences(client, command, settings, tmp_path):
    run_id = await client.propose()
    code, said = await over(command("runs", "allow", "nothing"))
    assert (code, f"These are waiting: {run_id} (program)." in said) == (1, True), said
    code, said = await over(command("calls", "allow", run_id))
    assert (code, "is a request of kind “program”" in said) == (1, True), said
    (tmp_path / "empty").mkdir()
    code, said = await over(OnTerminal([*COMMAND, "runs", "list", "--project", str(tmp_path / "empty")]))
    assert (code, "No core is running" in said) == (4, True)
    anywhere = OnTerminal([*COMMAND, "runs", "allow", run_id])
    await anywhere.answer(ASKS, "")  # without --project every project of the user is looked at
    assert (await over(anywhere))[0] == 6


async def test_a_changed_program_is_judged_shown_and_run(client, command, tmp_path, person, paths):
    (paths.workspace / "new.txt").write_text("y", encoding="utf-8")
    run_id = await client.propose()
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/old.txt/new.txt/ "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    edit = command("runs", "edit", run_id, EDITOR=str(editor))
    shown = await edit.answer(ASKS, "")
    assert "Deletes workspace/new.txt." in shown
    assert "-os.remove('workspace/old.txt')\n+os.remove('workspace/new.txt')" in shown
    code, said = await over(edit)
    assert code == 6
    draft = said.split("Your text is saved: ")[1].split(". ")[0].replace("\n", "")
    assert (await person.api.run(run_id)).proposal.code == DELETES["code"], "nothing was changed yet"
    edit = command("runs", "edit", run_id, "--file", draft)
    await edit.answer(ASKS, "workspace/new.txt")
    assert (await over(edit))[0] == 0
    answer = await client.call("get_run", run_id=run_id, wait=40)
    assert answer["facts"]["state"] == "done"
    assert ((paths.workspace / "old.txt").exists(), (paths.workspace / "new.txt").exists()) == (True, False)


async def test_a_changed_program_offers_no_rules_of_the_text_before(client, command, tmp_path):
    code = "from servers.demo import delete_customer\nawait delete_customer(customer_id='CUS-0001')\n"
    run_id = (await client.call("execute_code", code=code, description="tidy up"))["facts"]["run"]
    allow = command("runs", "allow", run_id)
    assert "make one of these rules" in await allow.answer(ASKS, "")
    await over(allow)
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/CUS-0001/CUS-0002/ "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    edit = command("runs", "edit", run_id, EDITOR=str(editor))
    shown = await edit.answer(ASKS, "")
    assert "+await delete_customer(customer_id='CUS-0002'" in shown
    assert "rule" not in shown.split("Your changes")[1]
    assert (await over(edit))[0] == 6


async def test_an_editor_that_changes_nothing_leaves_nothing_behind(client, command, tmp_path):
    run_id, editor, noted = await client.propose(), tmp_path / "editor", tmp_path / "noted"
    editor.write_text(f'#!/bin/sh\nprintf %s "$1" > {noted}\n', encoding="utf-8")
    editor.chmod(0o755)
    code, said = await over(command("runs", "edit", run_id, EDITOR=str(editor)))
    assert (code, "The program was not changed." in said) == (6, True), said
    assert not Path(noted.read_text(encoding="utf-8")).parent.exists()


async def test_a_held_call_is_shown_with_its_evidence_and_answered(client, command, person):
    await person.api.change_setting("approval.auto_medium", True)
    await client.call("execute_code", code=READ, description="read")
    answer = await client.call("execute_code", code=SEND, description="send")
    assert answer["facts"]["state"] == "waiting"
    (held_call,) = await person.api.held_calls()
    assert f"`mcp-workbench calls allow {held_call.id}`" in answer["text"]
    code, said = await over(command("calls", "list"))
    assert (code, held_call.id in said) == (0, True)
    code, said = await over(command("calls", "list", "--json"))
    assert json.loads(said)[0]["kind"] == "call"
    deny = command("calls", "deny", held_call.id, "--reason", "Not to them.")
    shown = await deny.answer(ASKS, "deny")
    for fact in ("wants to call demo.send_email", "records@collect-data.example", "the answer of demo.read_mail", "»"):
        assert fact in shown, shown
    assert (await over(deny))[0] == 0
    answer = await client.call("get_run", run_id=answer["facts"]["run"], wait=40)
    assert "Not to them." in answer["text"]
    (entry,) = await person.api.entries(EntryQuery(kind="run.decided.call"))
    assert f"process {deny.pid}" in entry.note.detail["terminal"]


async def test_a_draft_is_kept_and_a_server_allowed(client, command, person):
    code = "async def orders_twice(n: int = 2):\n    return n * 2"
    await client.call("save_skill", name="orders-twice", code=code, description="Doubles.")
    keep = command("skills", "keep", "orders-twice")
    shown = await keep.answer("Enter leaves it a draft: ", "orders-twice")
    assert "1  async def orders_twice" in shown
    assert (await over(keep))[0] == 0
    ran = await client.call("run_skill", name="orders-twice", arguments={"n": 4})
    assert ran["text"] == "result = 8"

    listed = await client.call("search_tools")
    assert "`mcp-workbench servers allow github`" in listed["text"]
    allow = command("servers", "allow", "github")
    shown = await allow.answer("Enter leaves it as it is: ", "github")
    assert "-m workbench.demo" in shown
    assert "hunter2" not in shown or "TOKEN" in shown
    assert (await over(allow))[0] == 0
    ran = await client.call(
        "execute_code", code="from servers.github import count_orders\nresult = await count_orders()", description="x"
    )
    assert ran["facts"]["state"] in ("done", "waiting"), ran
    for kind, words in (("skill.kept", "orders-twice"), ("server.allowed", "github")):
        entries = [one for one in await person.api.entries(EntryQuery(kind=kind)) if words in one.note.summary]
        assert entries[0].note.detail["terminal"].startswith("/dev/pts/")


async def test_an_entry_that_was_edited_by_hand_is_read_before_the_server_is_allowed(command, person, paths):
    await person.api.connect("github", (await person.api.consent("github")).sha)
    entry = {"command": sys.executable, "args": ["-P", "-m", "workbench.demo"]}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"github": entry, "new": entry}}), encoding="utf-8")
    for name in ("github", "new"):
        allow = command("servers", "allow", name)
        assert "-P -m workbench.demo" in await allow.answer("Enter leaves it as it is: ", name)
        assert (await over(allow))[0] == 0


async def test_what_a_server_says_is_decided_once_in_a_terminal(client, command, person):
    await person.api.connect("github", (await person.api.consent("github")).sha)
    reading = "from servers.github import count_orders\nresult = await count_orders()"
    first = await client.call("execute_code", code=reading, description="count")
    assert first["facts"]["state"] == "waiting", "nobody has decided about the server"
    code, said = await over(command("runs", "show", first["facts"]["run"]))
    assert (code, "mcp-workbench servers trust github" in " ".join(said.split())) == (0, True)

    trust = command("servers", "trust", "github")
    shown = await trust.answer("Ctrl+D decides nothing: ", "everything")
    assert "delete_customer" in shown
    assert "There is no group 'everything'" in await trust.end()
    trust = command("servers", "trust", "github")
    shown = await trust.answer("Ctrl+D decides nothing: ", "")
    assert "yes to let reads run without asking" in shown
    code, said = await over(trust)
    assert (code, "Nothing was decided." in said) == (6, True), "Enter alone accepts nothing"
    trust = command("servers", "trust", "github", "--yes-to", "reads")
    shown = await trust.answer("Type github to let reads run without asking: ", "github")
    assert "reads: tools that only read (proposed)" in shown
    assert "of github run without asking" in await trust.end()
    answer = await client.call("get_run", run_id=first["facts"]["run"], wait=40)
    assert answer["facts"]["state"] == "done", "what waited only for the decision runs"
    assert (await client.call("execute_code", code=reading, description="again"))["facts"]["state"] == "done"
    deleting = "from servers.github import delete_customer\nresult = await delete_customer(customer_id='1')"
    assert (await client.call("execute_code", code=deleting, description="x"))["facts"]["state"] == "waiting"
    (entry,) = await person.api.entries(EntryQuery(kind="server.trusted"))
    assert entry.note.detail["terminal"].startswith("/dev/pts/")


WRITES = {
    "code": "import xml.etree.ElementTree as E\nE.ElementTree(E.fromstring('<new/>')).write('workspace/old.txt')\n",
    "description": "tidy up",
}


async def test_files_that_a_program_wants_to_change_are_listed_shown_allowed_and_denied(client, command, paths):
    file = paths.workspace / "old.txt"
    answer = await client.call("execute_code", **WRITES)
    assert "NOT changed in the workspace: old.txt" in answer["text"]
    code, said = await over(command("runs", "list", "--json"))
    (listed,) = [one for one in json.loads(said) if one["kind"] == "files"]
    assert (code, listed["state"], listed["deadline"]) == (0, "waiting", 0)
    deny = command("runs", "deny", listed["id"])
    shown = await deny.answer(ASKS, "deny")
    assert "old.txt: The program changed it." in shown
    assert "+<new />" in shown
    assert "Denied." in await deny.end()
    assert file.read_text() == "x"
    answer = await client.call("execute_code", **WRITES)
    code, said = await over(command("runs", "list", "--json"))
    (listed,) = [one for one in json.loads(said) if one["kind"] == "files"]
    allow = command("runs", "allow", listed["id"])
    await allow.answer(ASKS, "allow")
    assert "Allowed." in await allow.end()
    assert file.read_text() == "<new />"


async def test_a_file_that_changes_after_it_was_shown_is_not_overwritten(client, command, paths):
    file = paths.workspace / "old.txt"
    await client.call("execute_code", **WRITES)
    _, said = await over(command("runs", "list", "--json"))
    (listed,) = [one for one in json.loads(said) if one["kind"] == "files"]
    allow = command("runs", "allow", listed["id"])
    await allow.until(ASKS)
    file.write_text("the user's by now")
    await allow.answer("", "allow")
    code, said = await over(allow)
    assert (code, "A file changed after it was shown." in said) == (1, True), said
    again = command("runs", "allow", listed["id"])
    shown = await again.answer(ASKS, "allow")
    assert "would discard that change. It stays unchanged here" in shown
    code, said = await over(again)
    assert (code, "none was written" in said) == (1, True), said
    assert file.read_text() == "the user's by now"
    assert [one["id"] for one in json.loads((await over(command("runs", "list", "--json")))[1])] == [listed["id"]]


async def test_a_long_difference_says_how_much_of_it_is_not_shown(client, command, paths):
    (paths.workspace / "old.txt").write_text("line\n" * 900)
    await client.call("execute_code", **WRITES)
    _, said = await over(command("runs", "list", "--json"))
    (listed,) = [one for one in json.loads(said) if one["kind"] == "files"]
    deny = command("runs", "deny", listed["id"])
    assert "more lines of this diff" in await deny.answer(ASKS, "")
    await over(deny)
