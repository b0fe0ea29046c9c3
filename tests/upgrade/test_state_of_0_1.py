"""Opens a project and a private state folder that version 0.1 wrote, and compares all of it with what 0.1 showed.

The archive was filled by `make_state.py` in it, through the client of that version: settings, servers, rules, an
approval for good, annotations, skills in all states with a recording, runs and their audit, history, a saved call,
marks, accepted hosts and profiles, a secret, the terminal PIN, workspace changes and one that is held.
"""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from workbench.api.client import connect
from workbench.api.run_completion import connect_allowed_servers, wait_for_run
from workbench.cli.main import main
from workbench.paths import OVERRIDE, paths_of
from workbench.records import Decision, EntryQuery, PastQuery, RunState
from workbench.records.audit import current_kind
from workbench.settings import OLD_NAMES

ARCHIVE = Path(__file__).with_name("state-0.1.tar.xz")
SEND = (
    "from servers.demo import send_email\n"
    "await send_email(to='ops@acme.example', subject='report', body='weekly')\nreturn 'sent'\n"
)


@pytest.fixture
def old(tmp_path, monkeypatch):
    """The unpacked state, moved to where this test's paths look for it."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.setenv(OVERRIDE, str(tmp_path / "home"))
    paths = paths_of(tmp_path / "project")
    for folder in (paths.state, paths.cache):
        (written,) = folder.parent.iterdir()
        written.rename(folder)
    yield paths, json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    main(["stop", "--project", str(paths.project)])


async def test_nothing_that_0_1_kept_is_lost(old):
    paths, expected = old
    connection = await connect(paths, role="window")
    api = connection.api
    try:
        audit = Counter(entry.note.kind for entry in await api.entries(EntryQuery(limit=10_000)))
        assert (await api.verify_audit()).whole
        kinds = {current_kind(kind): count for kind, count in expected["audit"].items()}
        assert kinds.keys() - expected["audit"].keys() >= {"rule.set", "agent.connected"}
        # What this core notes while it opens comes on top.
        assert {kind: audit[kind] for kind, count in kinds.items() if audit[kind] < count} == {}
        assert [e.written_kind for e in await api.entries(EntryQuery(kind="permission.set"))] == ["permission.set"] * 3
        permissions = await api.permissions()
        rules = [
            [rule.kind, str(rule.word), rule.server, rule.tool, [[p.path, p.pattern] for p in rule.where], rule.id]
            for rule in permissions.rules
        ]
        assert sorted(rules) == expected["rules"]
        # The built-in server's entry names the interpreter, which is another one here than where the archive was made.
        # A rule about one exact program ends with the version of the analysis that the user saw.
        assert set(permissions.void.values()) <= {
            "the server's entry has changed since the rule was made",
            "the analysis of programs or the Python version has changed since the rule was made",
        }
        annotations = {
            server: {tool: said.private for tool, said in tools.items()}
            for server, tools in permissions.trust.annotations.items()
        }
        assert annotations == expected["annotations"]
        skills = [[s.name, str(s.state), s.version, s.sha, list(s.tags)] for s in await api.skills()]
        assert sorted(skills) == expected["skills"]
        assert [made.name for made in await api.cassettes("count-orders")] == expected["recordings"]
        runs = [[run.id, str(run.state), run.proposal.purpose, run.proposal.sha] for run in await api.runs()]
        assert sorted(runs) == sorted(expected["runs"])
        calls = await api.past_calls(PastQuery())
        assert sorted([call.server, call.tool] for call in calls) == expected["history"]
        saved = (await api.saved_calls()).calls
        assert [[c.collection, c.name, c.server, c.tool, c.note, list(c.tags)] for c in saved] == expected["saved"]
        marks = (await api.privacy_rules()).marks
        assert sorted([m.hide, m.what, m.text, m.source] for m in marks) == expected["marks"]
        hosts = (await api.network()).hosts
        assert sorted([host.domain, host.accepted] for host in hosts) == expected["hosts"]
        profiles = (await api.profiles()).all
        assert sorted([p.name, p.base, p.seconds, p.accepted] for p in profiles) == expected["profiles"]
        assert await api.has_pin() is expected["pin"]
        servers = await api.servers()
        assert sorted([s.config.name, s.config.url, s.config.disabled] for s in servers) == expected["servers"]
        assert [change.id for change in await api.file_changes()] == [name for name, _ in expected["changes"]]
        held = await api.held_files()
        assert [[change.id, [file.path for file in change.files]] for change in held] == expected["held"]
        settings = await api.settings()
        found = {old: getattr(settings, OLD_NAMES.get(old, old).replace(".", "_", 1)) for old in expected["settings"]}
        assert found == expected["settings"]
        await api.unlock_secrets("correct horse battery staple")
        assert "acme-token" in {secret.name for secret in (await api.secrets()).secrets}
    finally:
        await connection.close()


async def test_what_0_1_decided_and_kept_still_works(old):
    """The recording plays, the held change can be written, the change of a run undone, the skill runs."""
    paths, expected = old
    connection = await connect(paths, role="window")
    api = connection.api
    try:
        (played,) = await api.test_skill("count-orders")
        assert played.state == "changed"  # a docstring was edited after it was recorded; the behaviour is the same
        ((run_id, files),) = expected["held"]
        await api.decide_files(run_id, tuple(files), ())
        assert (paths.workspace / "config.xml").read_text(encoding="utf-8") == "<a />"
        undone = await api.undo_plan(expected["changes"][0][0])
        assert undone.lines
        await connect_allowed_servers(api)
        begun = await api.submit(
            "from skills.count_orders import count_orders\nreturn await count_orders(limit=2)\n", "use it", ""
        )

        async def allow(run):
            if run.state is RunState.WAITING:
                await api.decide(Decision(run.id, run.proposal.sha, allow=True, by="", fingerprint=run.fingerprint))

        done = await wait_for_run(connection, begun.id, allow)
        assert (done.state, await connection.fetch_full_text(done.result), done.fault) == (RunState.DONE, "2", None)
    finally:
        await connection.close()


async def test_an_approval_for_good_counts_or_asks_again(old):
    """It may ask again where the way approvals are fingerprinted changed, but it never runs what was not approved."""
    paths, _ = old
    connection = await connect(paths, role="window")
    api = connection.api
    try:
        asked = []

        async def deny(run):
            if run.state is RunState.WAITING:
                asked.append(run.id)
                await api.decide(Decision(run.id, run.proposal.sha, allow=False, by="", fingerprint=run.fingerprint))

        await connect_allowed_servers(api)
        same = await wait_for_run(connection, (await api.submit(SEND, "again", "")).id, deny)
        assert same.state is (RunState.REFUSED if asked else RunState.DONE)
        asked.clear()
        other = SEND.replace("ops@acme.example", "boss@other.example")
        changed = await wait_for_run(connection, (await api.submit(other, "other", "")).id, deny)
        assert (changed.state, len(asked)) == (RunState.REFUSED, 1)
    finally:
        await connection.close()


async def test_settings_under_their_old_names_count_and_are_renamed_when_one_changes(old):
    paths, _ = old
    file = paths.user_settings
    file.write_text(file.read_text(encoding="utf-8") + "\n[ask]\nalone = 'wait'\n[state]\nmost = 2\n", encoding="utf-8")
    connection = await connect(paths, role="window")
    api = connection.api
    try:
        settings = await api.settings()
        assert (settings.elicitation_without_window, settings.repl_max_sessions) == ("wait", 2)
        (notice,) = [n for n in (await api.status()).notices if "ask.alone" in n.message]
        assert "ask.alone is now elicitation.without_window" in notice.message
        await api.change_setting("state.most", 3)  # the name that a client of that version knows
        assert (await api.settings()).repl_max_sessions == 3
    finally:
        await connection.close()
    text = file.read_text(encoding="utf-8")
    assert "max_sessions = 3" in text
    assert "[ask]" not in text
