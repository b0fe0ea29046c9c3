"""Payloads of each client through the real hook program to a real core, and the answers that the client gets."""

from __future__ import annotations

import ast
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.client_hooks import hook_program, hook_requests
from workbench.core import Core
from workbench.events import CallHeld
from workbench.paths import Paths
from workbench.permissions.client_rules import offer
from workbench.records import CallDecision, EntryQuery, HeldCall, HeldCallAnswer, Permission, Predicate, Risk

FIXTURES = json.loads((Path(__file__).parent / "payloads.json").read_text(encoding="utf-8"))


class Client:
    """An agent's client: starts the hook program as the client would."""

    def __init__(self, core: Core, paths: Paths) -> None:
        self.core = core
        self.socket = paths.hook_socket
        self.project = paths.project / "src-of-client"
        self.project.mkdir()

    async def ask(self, client: str, payload: bytes | dict[str, Any], absent: str = "ask", seconds: int = 30):
        given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", hook_program.__file__, client, absent, str(seconds), str(self.socket),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await program.communicate(given)
        return program.returncode, json.loads(out) if out.strip() else None, err.decode()

    def payload(self, name: str, **changes: Any) -> dict[str, Any]:
        made = json.loads(json.dumps(FIXTURES[name]).replace("/PROJECT", str(self.project)))
        return {**made, **changes}

    async def held(self) -> HeldCall:
        """The call that waits for the user."""
        async with asyncio.timeout(60):
            while not (found := self.core.run_manager.held_calls.all()):
                arrived = asyncio.Event()
                stop = self.core.bus.listen(lambda event, arrived=arrived: arrived.set(), CallHeld)
                if not self.core.run_manager.held_calls.all():
                    await arrived.wait()
                stop()
        return found[0]

    async def answer(self, *, allow: bool, scope: str = "once", reason: str = "") -> HeldCall:
        held = await self.held()
        await self.core.api.answer_held_call(HeldCallAnswer(held.id, allow, scope, reason))
        return held


@pytest.fixture
async def client(core: Core, paths: Paths) -> AsyncIterator[Client]:
    async with listening(core, paths):
        yield Client(core, paths)


@asynccontextmanager
async def listening(core: Core, paths: Paths) -> AsyncIterator[None]:
    paths.runtime.mkdir(parents=True, exist_ok=True)
    tasks = set[asyncio.Task[None]]()

    def admit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def serve() -> None:
            try:
                await core.serve_hook(reader, writer)
            finally:
                writer.close()

        tasks.add(asyncio.ensure_future(serve()))

    server = await asyncio.start_unix_server(admit, path=str(paths.hook_socket))
    try:
        yield
    finally:
        server.close()
        if tasks:
            await asyncio.wait(tasks)


def decision_of(answer: dict[str, Any] | None) -> str:
    if not answer:
        return ""
    inner = answer.get("hookSpecificOutput", {})
    return inner.get("permissionDecision") or inner.get("decision", {}).get("behavior") or answer.get("permission", "")


ALLOWED = {"claude bash": "allow", "claude prompt": "allow", "codex prompt": "allow", "cursor shell": "allow",
           "vscode terminal": "allow", "codex bash": ""}  # fmt: skip
DENIED = dict.fromkeys(ALLOWED, "deny")


@pytest.mark.parametrize("name", ALLOWED)
async def test_the_users_answer_reaches_each_client_in_its_format(client: Client, name: str):
    who = {"claude": "claude-code"}.get(name.split()[0], name.split()[0])
    for allow, expected in ((True, ALLOWED), (False, DENIED)):
        asking = asyncio.ensure_future(client.ask(who, client.payload(name, session_id=f"{name}-{allow}")))
        held = await client.answer(allow=allow, reason="Use the staging branch.")
        code, answer, _ = await asking
        assert (code, decision_of(answer)) == (0, expected[name])
        assert allow or "Use the staging branch." in json.dumps(answer)
        assert held.run_id == ""
        assert held.risk is Risk.HIGH
        assert "overwrites history of a remote branch" in held.sentence
        assert held.author in held.sentence
        assert held.arguments == "git push --force"
        assert held.heading.startswith("What it would run in ")
        assert str(client.project)[-50:] in held.heading
        assert held.why == ("Its risk is high, and you have set no rules.",), "the heading is not repeated"


async def test_paused_agents_get_no_call_of_their_own_tools_allowed(client: Client):
    await client.core.api.change_setting("agent.paused", True)
    code, answer, _ = await client.ask("claude-code", client.payload("claude bash", session_id="paused"))
    assert (code, decision_of(answer)) == (0, "deny")
    assert "The user has paused agents" in json.dumps(answer)
    await client.core.api.change_setting("agent.paused", False)


async def test_an_answer_at_the_first_hook_does_not_outlast_a_pause(client: Client):
    asking = asyncio.ensure_future(client.ask("claude-code", client.payload("claude bash", session_id="p")))
    await client.answer(allow=True)
    assert decision_of((await asking)[1]) == "allow"
    await client.core.api.change_setting("agent.paused", True)
    _, answer, _ = await client.ask("claude-code", client.payload("claude prompt", session_id="p"))
    assert decision_of(answer) == "deny"
    await client.core.api.change_setting("agent.paused", False)


async def test_a_low_risk_leaves_the_client_to_decide_unless_the_user_allows_it(client: Client):
    reading = client.payload("claude bash", tool_input={"command": "git status"})
    assert await client.ask("claude-code", reading) == (0, None, "")
    assert (await client.ask("cursor", client.payload("cursor read")))[1] == {"permission": "allow"}
    edit = {**client.payload("cursor shell"), "hook_event_name": "preToolUse", "tool_name": "Write"}
    edit["tool_input"] = {"file_path": f"{client.project}/a.py", "contents": "x"}
    assert (await client.ask("cursor", edit))[1] is None, "nothing is loosened"
    client.core.settings = replace(client.core.settings, hooks_low="allow")
    assert decision_of((await client.ask("claude-code", reading))[1]) == "allow"
    kinds = [entry.note.kind for entry in client.core.journal.entries(EntryQuery(kind="hook."))]
    assert kinds.count("hook.left") == 3
    assert kinds.count("hook.allowed") == 1


async def test_a_chosen_rule_allows_the_next_call_and_no_other(client: Client):
    tests = client.payload("claude bash", tool_input={"command": "npm test -- --fast"})
    asking = asyncio.ensure_future(client.ask("claude-code", tests))
    held = await client.held()
    labels = {one.id: one.sentence for one in held.rule_offers}
    (prefix,) = [scope for scope, label in labels.items() if "begin with “npm test”" in label]
    await client.answer(allow=True, scope=prefix)
    await asking
    (rule,) = [one for one in client.core.services.rules.rules if one.kind == "hook"]
    assert rule.label == labels[prefix]
    assert rule in (await client.core.api.permissions()).rules
    again = client.payload("claude bash", tool_input={"command": "npm test -- --slow"})
    assert decision_of((await client.ask("claude-code", again))[1]) == "allow"
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=0)
    for command in ("npm test; rm -rf src", "npm test $(rm -rf src)", "npm test > ~/.bashrc", "npm testing",
                    "npm publish", "npm test $X", "sudo npm test", "npm test | sh", "PATH=/x npm test"):  # fmt: skip
        other = client.payload("claude bash", tool_input={"command": command})
        assert decision_of((await client.ask("claude-code", other))[1]) == "ask", command
    elsewhere = client.payload("vscode terminal", tool_input={"command": "npm test"})
    assert decision_of((await client.ask("vscode", elsewhere))[1]) == "ask", "the rule is for another client"


async def test_a_rule_that_denies_finds_the_command_wherever_it_is(client: Client):
    denial = Permission("", "hook", CallDecision.DENY, "claude-code", "shell", (Predicate("command", "git push *"),))
    await client.core.api.set_permission(denial)
    await client.core.api.set_permission(offer("claude-code", "shell", "git *", Risk.HIGH))
    for command in ("git push", "git  'push' origin", "ls && git push -f", "sh -c 'git push'", "echo $(git push)",
                    "timeout 5 git push", "X=push; git $X"):  # fmt: skip
        payload = client.payload("claude bash", tool_input={"command": command})
        code, answer, _ = await client.ask("claude-code", payload)
        assert (code, decision_of(answer)) == (0, "deny"), command
    allowed = client.payload("claude bash", tool_input={"command": "git rebase main"})
    assert decision_of((await client.ask("claude-code", allowed))[1]) == "allow"


async def test_every_rule_that_decided_is_counted(client: Client):
    await client.core.catalog.connect("demo")
    for pattern in ("npm test *", "make *"):
        await client.core.api.set_permission(offer("claude-code", "shell", pattern, Risk.HIGH))
    await client.core.api.set_permission(Permission("", "tool", CallDecision.DENY, "demo", "list_customers"))
    both = client.payload("claude bash", tool_input={"command": "npm test && make all"})
    assert decision_of((await client.ask("claude-code", both))[1]) == "allow"
    mine = client.payload("claude bash", tool_name="mcp__demo__list_customers", tool_input={"limit": 1})
    assert decision_of((await client.ask("claude-code", mine))[1]) == "deny"
    assert [one.count for one in (await client.core.api.permissions()).rules] == [1, 1, 1]


async def test_a_session_that_changes_its_folder_keeps_its_project(client: Client):
    client.core.settings = replace(client.core.settings, hooks_low="allow", hooks_wait_seconds=0)
    writing, testing = {"command": "echo x > notes.txt"}, {"command": "npm test"}
    first = client.payload("claude bash", tool_input=writing)
    assert decision_of((await client.ask("claude-code", first))[1]) == "allow"
    rule = offer("claude-code", "shell", "npm test", Risk.MEDIUM)
    await client.core.api.set_permission(rule)
    assert decision_of((await client.ask("claude-code", {**first, "tool_input": testing}))[1]) == "allow"
    for given in (writing, testing):
        moved = client.payload("claude bash", tool_input=given, cwd="/srv/other")
        assert decision_of((await client.ask("claude-code", moved))[1]) == "ask", given


async def test_files_are_judged_by_their_place(client: Client):
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=0)
    (client.project / "link").symlink_to(Path.home())
    for path, expected in {"/PROJECT/src/a.py": "", "/PROJECT/.env": "ask", "/PROJECT/.git/hooks/pre-commit": "ask",
                           "/PROJECT/.github/workflows/ci.yml": "ask", "/PROJECT/.claude/settings.json": "ask",
                           "/srv/other.py": "ask",
                           "/PROJECT/link/.bashrc": "ask", "~/.ssh/id_rsa": "ask"}.items():  # fmt: skip
        real = path.replace("/PROJECT", str(client.project))
        payload = client.payload("claude write", tool_input={"file_path": real, "content": "x"})
        assert decision_of((await client.ask("claude-code", payload))[1]) == expected, path
    patch = "*** Begin Patch\n*** Update File: ../.bashrc\n*** End Patch"
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=60)
    codex = client.payload("codex prompt", tool_name="apply_patch", tool_input={"command": patch}, cwd="/srv/x")
    asking = asyncio.ensure_future(client.ask("codex", codex))
    held = await client.answer(allow=False)
    assert "Codex wants to change files: edits" in held.sentence
    assert held.heading == "What it would change"
    assert decision_of((await asking)[1]) == "deny"


async def test_a_change_of_a_file_is_shown_as_a_diff(client: Client):
    (client.project / ".env").write_text("A=1\nKEY=old\n")
    inputs = ({"content": "A=1\nKEY=new\n"}, {"old_string": "KEY=old", "new_string": "KEY=new"},
              {"edits": [{"old_string": "KEY=old", "new_string": "KEY=new"}]})  # fmt: skip
    for given in inputs:
        payload = client.payload("claude write", tool_input={"file_path": str(client.project / ".env"), **given})
        asking = asyncio.ensure_future(client.ask("claude-code", payload))
        held = await client.answer(allow=False)
        assert "-KEY=old\n+KEY=new" in held.arguments
        assert held.rule_offers == (), "no rule allows to write a file of secrets"
        assert decision_of((await asking)[1]) == "deny"


async def test_a_long_change_is_compared_at_once_and_says_what_is_not_shown(client: Client):
    before = [str(number % 101) for number in range(60_000)]
    (client.project / ".env").write_text("\n".join(before))
    for after, shown, cut in (
        ([*before[:30_000], "KEY=new", *before[30_000:]], "@@ -30001,0 +30001,1 @@\n+KEY=new", False),
        ([str(number % 103) for number in range(60_000)], "+102", True),
    ):
        given = {"file_path": str(client.project / ".env"), "content": "\n".join(after)}
        asking = asyncio.ensure_future(client.ask("claude-code", client.payload("claude write", tool_input=given)))
        held = await client.answer(allow=False)
        assert shown in held.arguments
        assert held.arguments.endswith("… The change is longer than what is shown here.") is cut
        await asking


async def test_tools_of_the_clients_own_servers_are_judged_by_their_names_and_our_rules(client: Client):
    await client.core.catalog.connect("demo")
    denial = Permission("", "tool", CallDecision.DENY, "demo", "list_customers")
    await client.core.api.set_permission(denial)
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=0)
    for name, expected in {"mcp__demo__list_customers": "deny", "mcp__github__list_issues": "",
                           "mcp__mail__send_mail": "ask",
                           "mcp__github__delete_repo": "ask", "mcp__workbench__execute_code": ""}.items():  # fmt: skip
        payload = client.payload("claude bash", tool_name=name, tool_input={"id": 1})
        assert decision_of((await client.ask("claude-code", payload))[1]) == expected, name
    assert decision_of((await client.ask("cursor", client.payload("cursor mcp")))[1]) == "ask"


async def test_the_second_hook_of_a_call_gets_the_same_answer_once(client: Client):
    before, prompt = client.payload("claude bash", session_id="s"), client.payload("claude prompt", session_id="s")
    asking = asyncio.ensure_future(client.ask("claude-code", before))
    await client.answer(allow=True)
    assert decision_of((await asking)[1]) == "allow"
    assert decision_of((await client.ask("claude-code", prompt))[1]) == "allow"
    asking = asyncio.ensure_future(client.ask("claude-code", prompt))
    await client.answer(allow=False)
    assert decision_of((await asking)[1]) == "deny"


async def test_an_answer_counts_in_its_folder_and_for_what_was_asked(client: Client):
    """Codex describes a call only in its second hook, and asks with the same command whether it may reach a host."""
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=60)
    asking = asyncio.ensure_future(client.ask("codex", client.payload("codex bash")))
    await client.answer(allow=True)
    await asking
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=0)
    prompt = client.payload("codex prompt")
    network = {**prompt, "tool_input": {**prompt["tool_input"], "description": "network-access example.org"}}
    for other in ({**prompt, "cwd": str(client.project.parent)}, {**prompt, "session_id": "c2"}, network):
        assert (await client.ask("codex", other))[1] is None, other
    assert decision_of((await client.ask("codex", prompt))[1]) == "allow"
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=60)
    asking = asyncio.ensure_future(client.ask("codex", network))
    held = await client.answer(allow=False)
    assert "connects to example.org" in held.sentence
    assert "overwrites history" in held.sentence, "the words of the description may be the agent's own"
    assert decision_of((await asking)[1]) == "deny"


async def test_a_core_that_ends_hangs_or_babbles_leaves_the_client_its_prompt(paths: Paths, core: Core):
    client = Client(core, paths)
    paths.runtime.mkdir(parents=True, exist_ok=True)
    replies = {"ends": b"", "breaks off": b'0{"hookSpecificOutput":', "babbles": b"\x00\xff", "hangs": None}
    held = asyncio.Event()

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        if replies[state] is None:
            await held.wait()
        else:
            writer.write(replies[state] or b"")
        writer.close()

    server = await asyncio.start_unix_server(reply, path=str(paths.hook_socket))
    try:
        for state in replies:
            for who, name in (("claude-code", "claude bash"), ("codex", "codex prompt"), ("vscode", "vscode terminal")):
                assert await client.ask(who, client.payload(name), seconds=1) == (0, None, ""), state
            assert (await client.ask("cursor", client.payload("cursor shell"), seconds=1))[1] == {"permission": "ask"}
            code, _, err = await client.ask("claude-code", client.payload("claude bash"), absent="deny", seconds=1)
            assert (code, "deny" in err) == (2, True), state
    finally:
        held.set()
        server.close()


async def test_two_hooks_of_one_call_ask_once(client: Client):
    payload = client.payload("claude bash", tool_use_id="toolu_1")
    asking = [asyncio.ensure_future(client.ask(who, payload)) for who in ("claude-code", "vscode")]
    await client.answer(allow=False, reason="No.")
    assert [decision_of(answer) for _, answer, _ in await asyncio.gather(*asking)] == ["deny", "deny"]
    decisions = list(client.core.journal.entries(EntryQuery(kind="hook.denied")))
    assert len(decisions) == 1


async def test_the_answer_reaches_the_second_hook_of_a_call_when_the_first_has_ended(client: Client, monkeypatch):
    read, second = hook_requests.read_payload, asyncio.Event()
    loop = asyncio.get_running_loop()

    def read_payload(client: str, payload: bytes):
        if client == "vscode":
            loop.call_soon_threadsafe(second.set)
        return read(client, payload)

    monkeypatch.setattr("workbench.client_hooks.hook_requests.read_payload", read_payload)
    payload = client.payload("claude bash", tool_use_id="toolu_2")
    text = json.dumps(payload).encode()
    reader, writer = await asyncio.open_unix_connection(str(client.socket))
    writer.write(b"claude-code 30 %d\n" % len(text) + text)
    shown = await client.held()
    asking = asyncio.ensure_future(client.ask("vscode", payload))
    await second.wait()
    for _ in range(20):
        await asyncio.sleep(0.01)  # the second hook joins the request
    writer.write_eof()
    await reader.read()  # ends when the core has noticed
    writer.close()
    assert [one.id for one in client.core.run_manager.held_calls.all()] == [shown.id]
    await client.answer(allow=False)
    assert decision_of((await asking)[1]) == "deny"


async def test_a_call_that_cannot_be_judged_is_not_run_unasked(client: Client, monkeypatch):
    def fail(*_: object) -> None:
        raise RecursionError("deeper than the reader goes")

    monkeypatch.setattr("workbench.client_hooks.hook_requests.read_call", fail)
    assert decision_of((await client.ask("claude-code", client.payload("claude bash")))[1]) == "ask"
    assert decision_of((await client.ask("cursor", client.payload("cursor shell")))[1]) == "ask"


async def test_a_call_that_is_too_large_for_the_rules_is_refused(client: Client):
    huge = client.payload("claude write", tool_input={"file_path": "a.txt", "content": "a" * hook_program.LARGEST})
    code, answer, err = await client.ask("claude-code", huge)
    assert (code, answer, "larger than 8 MB" in err) == (2, None, True)


async def test_without_an_answer_in_time_the_clients_prompt_decides(client: Client):
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=1)
    code, answer, _ = await client.ask("claude-code", client.payload("claude bash"))
    assert (code, decision_of(answer)) == (0, "ask")
    assert client.core.run_manager.held_calls.all() == ()
    assert await client.ask("codex", client.payload("codex prompt")) == (0, None, "")


async def test_a_hook_that_ends_withdraws_its_question(client: Client):
    asking = asyncio.ensure_future(client.ask("claude-code", client.payload("claude bash"), seconds=3))
    await client.held()
    code, _, _ = await asking  # the hook program's own time is over before the core answers
    assert code == 0
    async with asyncio.timeout(60):
        while client.core.run_manager.held_calls.all():
            await asyncio.sleep(0.02)


def test_the_hook_program_imports_only_what_python_has_compiled_in():
    tree = ast.parse(Path(hook_program.__file__).read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert names == {"_signal", "_socket", "posix", "sys"}, "each further import is paid by each call of a client"


async def test_without_a_core_the_client_asks_or_refuses(paths: Paths, core: Core):
    client = Client(core, paths)  # nobody listens
    for who, name in (("claude-code", "claude bash"), ("codex", "codex prompt"), ("vscode", "vscode terminal")):
        assert await client.ask(who, client.payload(name)) == (0, None, "")
    assert (await client.ask("cursor", client.payload("cursor shell")))[1] == {"permission": "ask"}
    code, answer, err = await client.ask("claude-code", client.payload("claude bash"), absent="deny")
    assert (code, answer) == (2, None)
    assert "MCP Workbench is not running" in err


async def test_hostile_payloads_leave_the_client_to_decide(client: Client):
    deep = b'{"tool_name":"Bash","tool_input":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    odd = [b"", b"null", b"[]", b"{", b"\xff\xfe", b'{"tool_name": 7, "tool_input": "x"}', deep,
           b'{"hook_event_name":"PreToolUse","tool_name":"Bash"}',
           b'{"tool_name":"Bash","tool_input":{"command":["a",1]}}',
           b'{"hook_event_name":"PreToolUse","tool_name":"Unheard","tool_input":{"command":"rm -rf /"}}']  # fmt: skip
    for payload in odd:
        code, answer, _ = await client.ask("claude-code", payload)
        assert (code, answer) == (0, None), payload[:60]
    unread = (
        b'{"hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":'
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}"
    )
    assert decision_of((await client.ask("claude-code", unread))[1]) == "ask", "it must not pass the rules unseen"
    assert (await client.ask("nobody", client.payload("claude bash")))[:2] == (0, None)
    client.core.settings = replace(client.core.settings, hooks_wait_seconds=0)
    strange = {"command": "ls \u202e\n\x00", "cwd": {"a": 1}}
    assert (
        decision_of((await client.ask("claude-code", client.payload("claude bash", cwd=7, tool_input=strange)))[1])
        == "ask"
    )
    for raw in (
        b"",
        b"x\n",
        b"claude-code 5 99999999999\n",
        b"claude-code x y\n",
        b"a b c d\n",
        b"claude-code 5 10\n{",
    ):
        reader, writer = await asyncio.open_unix_connection(str(client.socket))
        writer.write(raw)
        writer.write_eof()
        assert await reader.read() == b"", raw
        writer.close()
