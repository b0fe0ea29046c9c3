"""Values in workspace files that a program may read are registered with its session before it runs."""

from __future__ import annotations

import json

import pytest

from workbench.privacy import answer_index
from workbench.records import RunState
from workbench.runs import workspace_file_masking

LIST = "id,name,email\n" + "".join(f"{n},Wilhelmina Qvortrup,w{n}@example.org\n" for n in range(5))
COLUMN = "import csv\nprint([row[1] for row in csv.reader(open('workspace/people.csv'))])"


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


async def seen(core, session, code):
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(code, session).id)
    assert done.state is RunState.DONE, done.fault
    return done.model_view


@pytest.mark.parametrize(
    "code",
    [
        COLUMN,
        "print([line.split(',')[1] for line in read_file('people.csv').splitlines()])",
        "import os\nfor name in os.listdir('workspace'):\n    print(open('workspace/' + name).read().split(',')[3])",
    ],
)
async def test_a_column_of_a_file_that_a_person_put_there_is_masked(core, agent, code):
    core.services.workspace_files.write("people.csv", LIST)
    said = await seen(core, agent, code)
    assert "Qvortrup" not in said
    assert "[NAME_1." in said


async def test_what_one_session_wrote_is_known_to_the_next(core, agent):
    made = json.dumps([{"name": "Wilhelmina Qvortrup", "email": "w@example.org"}])
    agent.keep(made, "crm")
    await seen(core, agent, f"open('workspace/c.json', 'w').write({made!r})")
    other = core.services.sessions.open("another agent")
    code = "import json\nprint([one['name'] for one in json.load(open('workspace/c.json'))])"
    assert "Qvortrup" not in await seen(core, other, code)


async def test_a_file_is_read_once_and_again_when_it_changed_and_only_if_the_text_reads_it(core, agent, monkeypatch):
    read = []
    true = core.services.workspace_files.read
    monkeypatch.setattr(type(core.services.workspace_files), "read", lambda self, path: read.append(path) or true(path))
    core.services.workspace_files.write("people.csv", LIST)
    core.services.workspace_files.write("other.csv", LIST)
    await seen(core, agent, "print(1)")
    assert read == []
    await seen(core, agent, COLUMN)
    await seen(core, agent, COLUMN)
    assert read == ["people.csv"]
    core.services.workspace_files.write("people.csv", LIST + "9,Sigurd Ahlqvist,s@example.org\n")
    assert "Ahlqvist" not in await seen(core, agent, COLUMN)
    assert read == ["people.csv"] * 2


async def test_what_is_too_large_or_no_text_holds_nobody_up(core, agent, monkeypatch):
    monkeypatch.setattr(workspace_file_masking, "LARGEST", 50)
    accounts = "id,account_number\n" + "".join(f"{number},728471955{number}\n" for number in range(5))
    core.services.workspace_files.write("people.csv", accounts)
    (core.paths.workspace / "picture.png").write_bytes(b"\0\1")
    shown = await seen(core, agent, COLUMN.replace("')])", "')][1:])"))
    assert "7284719551" in shown, "what this part cannot do, and docs/privacy.md says so"
    monkeypatch.undo()
    assert "7284719551" not in await seen(core, agent, COLUMN.replace("')])", "')][1:])"))


async def test_a_session_that_can_keep_no_more_reads_no_files(core, agent, monkeypatch):
    core.services.workspace_files.write("people.csv", LIST)
    monkeypatch.setattr(answer_index, "MOST_CHARACTERS", 100)
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(COLUMN, agent).id)
    assert done.state is RunState.FAILED
    assert "cannot be kept" in done.model_view
    assert "Qvortrup" not in done.model_view


async def test_files_of_a_sessions_own_programs_do_not_displace_those_of_the_user(core, agent, monkeypatch):
    monkeypatch.setattr(workspace_file_masking, "TOGETHER", len(LIST) + 100)
    core.services.workspace_files.write("people.csv", LIST)
    await seen(core, agent, "open('workspace/own.txt', 'w').write('kater ' * 30)")
    code = (
        "import os\nfor name in os.listdir('workspace'):\n    print(open('workspace/' + name).read().split(',')[3:4])"
    )
    assert "Qvortrup" not in await seen(core, agent, code)


async def test_after_the_user_deleted_all_values_files_are_read_again(core, agent):
    core.services.workspace_files.write("people.csv", LIST)
    assert "[NAME_1." in await seen(core, agent, COLUMN)
    await core.api.forget_values(agent.id)
    assert "Qvortrup" not in await seen(core, agent, COLUMN)
