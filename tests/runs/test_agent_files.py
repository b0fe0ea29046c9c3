"""An agent lists, reads and writes files of the workspace without a program, under the same rules as programs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.errors import WorkbenchError
from workbench.records import RunState
from workbench.runs import agent_files
from workbench.runs.agent_files import list_files, read_lines, writing_program
from workbench.tokens import count

PEOPLE = "id,name,email\n" + "".join(f"{n},Wilhelmina Qvortrup,w{n}@example.org\n" for n in range(5))


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


async def test_row_141_files_are_listed_and_read_with_tokens_in_place_of_personal_data(core, agent):
    core.services.workspace_files.write("people.csv", PEOPLE)
    core.services.workspace_files.write("mail/for w1@example.org.txt", "hello")
    said = await read_lines(core.services, agent, "workspace/people.csv")
    assert said.startswith("people.csv, lines 1 to 7, ")
    assert "Qvortrup" not in said
    assert "[NAME_1." in said
    names = await list_files(core.services, agent)
    assert "w1@example.org" not in names, "names of files pass privacy, too"
    shown = next(line.split("  ")[0] for line in names.splitlines() if "mail/" in line)
    assert "hello" in await read_lines(core.services, agent, shown), "and lead back to their files"
    assert "people.csv" not in await list_files(core.services, agent, "mail")
    assert await list_files(core.services, agent, pattern="*.nothing") == "There are no files that match *.nothing."


async def test_row_27_many_files_are_narrowed_by_folder_and_pattern_before_few_are_read(core, agent):
    for number in range(150):
        core.services.workspace_files.write(
            f"src/{'core' if number < 45 else 'other'}/{number}.py", "def handler(): ...\n" * 3
        )
    for number in range(10):
        core.services.workspace_files.write(f"src/core/{number}.py", "def wanted(): ...\n")
    broad = await list_files(core.services, agent, "src")
    narrow = await list_files(core.services, agent, "src/core", "?.py")
    assert (len(broad.splitlines()), len(narrow.splitlines())) == (150, 10)
    read_all = [await read_lines(core.services, agent, line.split("  ")[0], 1, 20) for line in narrow.splitlines()]
    assert all("def wanted" in one for one in read_all)
    assert count("\n".join((narrow, *read_all))) < 1_000


async def test_a_slice_of_a_large_file_says_where_it_goes_on(core, agent, monkeypatch):
    lines = [f"line {n} of w{n}@example.org" for n in range(1, 4001)]
    core.services.workspace_files.write("big.txt", "\n".join(lines))
    first = await read_lines(core.services, agent, "big.txt")
    assert "; continues at line " in first.splitlines()[0]
    monkeypatch.setattr(agent_files, "_WHOLE", 10_000)  # as if the file were too large to be masked completely
    said = await read_lines(core.services, agent, "big.txt", 3000, 2)
    assert [one.split(" of ")[0] for one in said.splitlines()[1:]] == ["line 3000", "line 3001"]
    assert "@example.org" not in said
    assert "ends before line 9,000" in await read_lines(core.services, agent, "big.txt", 9000)


async def test_what_is_no_text_or_leads_out_is_refused(core, agent):
    (core.paths.workspace / "picture.png").write_bytes(b"\x89PNG\0\1")
    with pytest.raises(WorkbenchError, match="is not text"):
        await read_lines(core.services, agent, "picture.png")
    for path in ("../secret", "/etc/passwd", "a\0b", ""):
        with pytest.raises(WorkbenchError):
            await read_lines(core.services, agent, path)


async def test_writing_takes_the_road_of_programs(core, agent):
    core.settings = replace(core.settings, isolation_medium="process")
    new = await core.run_manager.wait_until_finished(
        core.run_manager.submit(writing_program(agent, "out/report.csv", "a,b\n'1'\n"), agent, "write").id
    )
    assert new.state is RunState.DONE, new.fault
    assert core.services.workspace_files.read("out/report.csv") == "a,b\n'1'\n"
    assert new.verdict is not None
    assert new.verdict.mild, "new plain data is written unasked"
    for path in ("out/report.csv", ".git/hooks/pre-commit"):  # an existing file, and a file that git would run
        waits = core.run_manager.submit(writing_program(agent, path, "x"), agent, "write")
        await waiting(core, waits)
        await core.run_manager.stop(waits.id)


async def test_what_no_program_may_unasked_no_tool_does(core, agent):
    core.services.workspace_files.write("a.txt", "x")
    core.settings = replace(core.settings, approval_auto_low=False)
    with pytest.raises(WorkbenchError, match="require approval before files are read"):
        await read_lines(core.services, agent, "a.txt")
    with pytest.raises(WorkbenchError, match="longer than"):
        writing_program(agent, "a.txt", "x" * 400_000)
