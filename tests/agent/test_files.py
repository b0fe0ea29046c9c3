"""An agent's files: read in pieces without personal data, and written by programs that pass the gate."""

from __future__ import annotations

import jsonschema
from msgspec.structs import replace

from workbench.agent.tool_calls import slice_text
from workbench.agent.tool_definitions import TOOLS
from workbench.broker.provenance_index import UNTRUSTED


async def told(client, tool, **arguments):
    """Its text and its structure, which is what its schema says."""
    answer = await client.call_tool(tool, arguments)
    if answer.structured_content is not None:
        schema = next(one.output_schema for one in TOOLS if one.name == tool)
        jsonschema.validate(answer.structured_content, schema)
        assert answer.structured_content["text"] == answer.content[0].text
    return answer.content[0].text, answer.structured_content or {}


async def test_a_file_is_written_by_a_program_read_and_listed(core, agent):
    async with agent() as client:
        words, facts = await told(client, "write_workspace_file", path="workspace/reports/a.txt", content="one\ntwo")
        assert facts["state"] == "done", words
        text, _ = await told(client, "read_workspace_file", path="reports/a.txt", first_line=2)
        assert text.endswith("\ntwo")
        listed, _ = await told(client, "list_workspace_files", folder="reports")
        assert listed.startswith("reports/a.txt  7 bytes")
        assert "must be a number" in (await told(client, "read_workspace_file", path="a", first_line="x"))[0]
    (run,) = core.run_manager.runs()
    assert run.proposal.purpose == "Write the file workspace/reports/a.txt."
    session = next(one for one in core.services.sessions.all() if one.claimed_name == "test agent")
    assert UNTRUSTED in session.provenance.kinds, "nobody knows who wrote a file"


async def test_what_a_program_would_need_a_person_for_waits_for_one(core, agent):
    core.services.settings.set(replace(core.settings, approval_wait_seconds=0))
    core.services.workspace_files.write("theirs.txt", "a person's")
    async with agent() as client:
        for path in ("theirs.txt", "tool.py", ".hidden/a.txt"):
            text, facts = await told(client, "write_workspace_file", path=path, content="x")
            assert (facts["state"], "not answered in time" in text) == ("refused", True), text
        assert "cannot be used" in (await told(client, "write_workspace_file", path="../a.txt", content="x"))[0]
    assert core.services.workspace_files.read("theirs.txt") == "a person's"


async def test_the_rest_of_a_long_answer_is_fetched_by_its_run_and_by_nobody_else(core, agent):
    code = "result = [{'order': n, 'to': f'w{n}@qvortrup.org'} for n in range(2000)]"
    async with agent() as client, agent("another") as other:
        text, facts = await told(client, "execute_code", code=code, description="many")
        assert facts["state"] == "done"
        assert f"get_run('{facts['run']}') returns it here" in text
        first, whole = await told(client, "get_run", run_id=facts["run"])
        last, _ = await told(client, "get_run", run_id=facts["run"], offset=whole["total"] - 300)
        mine, theirs = (core.services.sessions.get(one.session) for one in core.connected_agents.agents())
        assert UNTRUSTED in mine.provenance.kinds, "nobody knows who wrote what a program returned"
        mine.provenance.index_answers()
        assert mine.provenance.find_sources("w1999@qvortrup.org", frozenset({UNTRUSTED}))
        foreign, _ = await told(other, "get_run", run_id=facts["run"])
        assert UNTRUSTED not in theirs.provenance.kinds, "it was refused"
        short, _ = await told(client, "execute_code", code="result = 1", description="few")
        assert "of yours" in (await told(client, "get_run", run_id="0" * 12))[0]
    assert '"order": 0,' in first
    assert '"order": 1999,' in last
    assert "qvortrup" not in first + last
    assert "of yours" in foreign
    assert short == "result = 1"


async def test_a_short_answer_got_later_counts_like_the_one_that_execute_code_returns(core, agent):
    async with agent() as client:
        _, facts = await told(client, "execute_code", code="result = 'shop.py'", description="a name")
        text, _ = await told(client, "get_run", run_id=facts["run"])
        (mine,) = (core.services.sessions.get(one.session) for one in core.connected_agents.agents())
        assert UNTRUSTED not in mine.provenance.kinds, "its program read nothing from outsiders"
    assert text == 'result = "shop.py"'


def test_a_slice_ends_before_a_token_and_says_where_it_goes_on():
    text = "a [EMAIL_1.k7q2] b " * 200
    answer = slice_text(text, 0, 100, "read")
    shown = answer.text.rpartition("\n")[0]
    assert text.startswith(shown)
    assert shown.count("[EMAIL") == shown.count("]")
    assert f"offset={len(shown)}" in answer.text
    assert slice_text(text, 10**9, 100, "read").facts["offset"] == len(text)
