"""An agent's files: new data and its own, in slices, without personal data; nothing of anybody else's is replaced."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import pytest

from workbench.agent.answer import sliced
from workbench.agent.tools import TOOLS
from workbench.records import EntryQuery
from workbench.runs.provenance import UNTRUSTED
from workbench.tokens import count


async def told(client, tool, **arguments):
    """Its text and its structure, which is what its schema says."""
    answer = await client.call_tool(tool, arguments)
    if answer.structured_content is not None:
        schema = next(one.answers for one in TOOLS if one.name == tool)
        jsonschema.validate(answer.structured_content, schema)
        assert answer.structured_content["text"] == answer.content[0].text
    return answer.content[0].text, answer.structured_content or {}


async def test_a_file_is_written_read_and_listed_and_the_audit_has_it(core, agent):
    async with agent() as client:
        words, facts = await told(client, "write_workspace_file", path="workspace/reports/a.txt", content="one\ntwo")
        assert (facts["path"], facts["size"]) == ("reports/a.txt", 7), words
        text, facts = await told(client, "read_workspace_file", path="reports/a.txt")
        assert (text, facts["total"]) == ("one\ntwo", 7)
        await told(client, "write_workspace_file", path="reports/a.txt", content="its own file is replaced")
        _, facts = await told(client, "list_workspace_files", folder="reports")
        assert facts["files"] == [{"path": "reports/a.txt", "size": 24}]
        _, facts = await told(client, "list_workspace_files", folder="elsewhere")
        assert facts["files"] == []
    entries = core.journal.entries(EntryQuery(kind="file.written"))
    assert [entry.note.actor for entry in entries] == ["test agent"] * 2


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("../outside.txt", "leads out"),
        ("/etc/cron.txt", "does not start in the workspace"),
        ("tool.py", "no file of plain data"),
        (".hidden/a.txt", "no file of plain data"),
        ("theirs.txt", "there already"),
    ],
)
async def test_what_a_program_would_need_a_person_for_the_tool_refuses(core, agent, path, words):
    core.rooms.store.write("theirs.txt", "a person's")
    async with agent() as client:
        text, facts = await told(client, "write_workspace_file", path=path, content="x")
    assert words in text
    assert facts == {}
    assert core.rooms.store.read("theirs.txt") == "a person's"


async def test_a_profile_that_only_reads_keeps_the_tools_from_writing(core, agent):
    core._set_settings(replace(core.settings, approval_profile="read_only"))
    async with agent() as client:
        text, _ = await told(client, "write_workspace_file", path="a.txt", content="x")
        assert "read_only does not write" in text
        assert "no files" in (await told(client, "list_workspace_files"))[0]


async def test_what_is_personal_in_a_file_is_masked_before_it_is_cut_and_its_reader_counts_as_having_read(core, agent):
    rows = "\n".join(f"{n},Wilhelmina Qvortrup,w{n}@qvortrup.org" for n in range(900))
    core.rooms.store.write("people.csv", f"id,name,email\n{rows}")
    async with agent() as client:
        text, facts = await told(client, "read_workspace_file", path="people.csv")
        assert "Qvortrup" not in text
        assert count(text) < core.settings.run_answer_tokens + 100
        assert f"offset={len(text.rpartition(chr(10))[0])}" in text
        more, again = await told(client, "read_workspace_file", path="people.csv", offset=len(text) - 200)
        assert again["total"] == facts["total"]
        assert "qvortrup" not in more.casefold()
        assert "offset must be" in (await told(client, "read_workspace_file", path="people.csv", offset="x"))[0]
    session = next(one for one in core.rooms.sessions.all() if one.author == "test agent")
    assert UNTRUSTED in session.provenance.kinds


async def test_the_rest_of_a_long_answer_is_fetched_by_its_run_and_by_nobody_else(core, agent):
    code = "result = [{'order': n, 'to': f'w{n}@qvortrup.org'} for n in range(2000)]"
    async with agent() as client, agent("another") as other:
        text, facts = await told(client, "execute_code", code=code, description="many")
        assert facts["state"] == "done"
        assert f"get_run('{facts['run']}') reads it here" in text
        first, whole = await told(client, "get_run", run_id=facts["run"])
        last, _ = await told(client, "get_run", run_id=facts["run"], offset=whole["total"] - 300)
        foreign, _ = await told(other, "get_run", run_id=facts["run"])
        short, _ = await told(client, "execute_code", code="result = 1", description="few")
        assert "of yours" in (await told(client, "get_run", run_id="0" * 12))[0]
    assert '"order": 0,' in first
    assert '"order": 1999,' in last
    assert "qvortrup" not in first + last
    assert "of yours" in foreign
    assert short == "result = 1"


def test_a_slice_ends_before_a_token_and_says_where_it_goes_on():
    text = "a [EMAIL_1.k7q2] b " * 200
    answer = sliced(text, 0, 100, "read")
    shown = answer.text.rpartition("\n")[0]
    assert text.startswith(shown)
    assert shown.count("[EMAIL") == shown.count("]")
    assert f"offset={len(shown)}" in answer.text
    assert sliced(text, 10**9, 100, "read").facts["offset"] == len(text)
