"""A program of medium risk runs unasked when all it does adds something where nothing is lost and nobody else reads."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.analysis.additive_programs import is_additive, only_adds
from workbench.analysis.reading import assess
from workbench.permissions.tool_annotations import effective
from workbench.records import Hints, Tool, ToolBits, Trust

READS = Hints(read_only=True, destructive=False, open_world=False)
ADDS = Hints(read_only=False, destructive=False, open_world=False)
TOOLS = (
    Tool("desk", "create_entry", hints=ADDS),
    Tool("desk", "get_entry", hints=READS),
    Tool("desk", "list_comments", hints=replace(READS, open_world=True)),
    Tool("desk", "send_note", hints=ADDS),
    Tool("desk", "drop_entry", hints=ADDS),
    Tool("desk", "open_case", hints=replace(ADDS, open_world=True)),
    Tool("other", "get_row", hints=READS),
)
CALL = "from servers.desk import create_entry\nawait create_entry(title='Lamp')\n"


def is_mild(code: str, tools=TOOLS, taken=lambda path: False) -> bool:
    weighed = tuple(effective(tool, Trust(("desk", "other"))) for tool in tools)
    verdict = assess(code, weighed)
    known = {(tool.server, tool.name): tool for tool in weighed}
    return is_additive(verdict, [known.get((use.server, use.tool)) for use in verdict.tools], taken)


@pytest.mark.parametrize(
    "code",
    [
        CALL,
        "from servers.desk import get_entry\nfor one in range(3):\n    await get_entry(id=one)\n" + CALL,
        "open('workspace/out/a.csv', 'w').write('x')",
        "from pathlib import Path\nPath('workspace/b.json').write_text(open('workspace/a.json').read())",
    ],
)
def test_adding_to_one_trusted_server_and_writing_new_data_leaves_nothing_to_decide(code):
    assert is_mild(code)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("from servers.desk import get_entry\nawait get_entry(id=1)", "low risk is another matter"),
        ("from servers.desk import send_note\nawait send_note(text='x')", "it sends"),
        ("from servers.desk import drop_entry\nawait drop_entry(id=1)", "it destroys by its name"),
        ("from servers.desk import open_case\nawait open_case(id=1)", "it reaches the world"),
        ("from servers.desk import list_comments\nprint(await list_comments())\n" + CALL, "strangers write that"),
        ("from servers.other import get_row\nx = await get_row()\n" + CALL, "two servers"),
        ("x = open('workspace/a.txt').read()\n" + CALL, "nobody knows who wrote the file"),
        ("import client\nawait client.call_tool('desk', input(), {})\n" + CALL, "a tool chosen at run time"),
        ("from servers.desk import create_entry, vanish\nawait create_entry(title='x')\nawait vanish()", "unknown"),
        ("eval('1')\n" + CALL, "more than tools"),
        ("open('workspace/run.py', 'w').write('x')", "another program may run it"),
        ("open('workspace/.git/a.txt', 'w').write('x')", "hidden"),
        ("open('workspace/' + input() + '.txt', 'w').write('x')", "its name is known at run time only"),
        ("import os\nos.remove('workspace/a.txt')", "it deletes"),
        ("import requests\nrequests.get('https://a.example')\n" + CALL, "the network"),
    ],
)
def test_everything_else_asks(code, why):
    assert not is_mild(code), why


def test_a_file_that_is_there_already_is_asked_about():
    assert not is_mild("open('workspace/a.csv', 'w').write('x')", taken=lambda path: path == "a.csv")


def test_only_hints_that_are_believed_and_a_persons_word_make_a_tool_that_only_adds():
    plain = TOOLS[0]
    assert not only_adds(effective(plain, Trust()))
    assert only_adds(effective(plain, Trust(("desk",))))
    said = ToolBits(destructive=False, open_world=False, key=plain.hash)
    assert only_adds(effective(plain, Trust((), {"desk": {"create_entry": said}})))
    sends = replace(said, sends=True)
    assert not only_adds(effective(plain, Trust(("desk",), {"desk": {"create_entry": sends}})))
