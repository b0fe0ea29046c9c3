"""Everyday programs that need no approval, each beside a hostile variant that still does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.analysis.reading import assess
from workbench.records import Gate, Hints, Risk, Standing, Tool, ToolGroup

PROGRAMS = (Path(__file__).parent / "programs_false_alarms.txt").read_text(encoding="utf-8")
# Each program has a name, its text, a part of it, and what stands there in the hostile variant.
PAIRS = {
    name: (code, part, instead.replace("\\n", "\n"))
    for name, code, part, instead in re.findall(r"^== (.+)\n((?:.*\n)*?)-- (.*)\n\+\+ (.*)\n", PROGRAMS, re.MULTILINE)
}


@pytest.mark.parametrize("name", PAIRS)
def test_an_everyday_program_does_not_ask_and_its_hostile_variant_does(name: str) -> None:
    code, part, instead = PAIRS[name]
    harmless = assess(code, [])
    assert harmless.gate is Gate.AUTO, harmless.findings
    assert part in code
    hostile = assess(code.replace(part, instead), [])
    assert hostile.gate is not Gate.AUTO, hostile.findings


def test_a_tool_that_runs_sql_only_reads_with_a_statement_that_only_reads() -> None:
    def risk(code: str, **fields: object) -> Risk:
        tool = Tool("db", "execute_sql", hints=Hints(destructive=True), group=ToolGroup.DESTROYS, **fields)  # type: ignore[arg-type]
        return assess(f"from servers.db import execute_sql\n{code}", [tool]).risk

    reads = 'await execute_sql(sql="SELECT state, count(*) FROM orders GROUP BY state")\n'
    assert risk(reads, reading_standing=Standing.RUNS) is Risk.LOW
    assert risk(reads, reading_standing=Standing.UNDECIDED) is Risk.MEDIUM
    for hostile in (
        'await execute_sql(sql="DELETE FROM orders")\n',
        'await execute_sql(sql="SELECT 1; DROP TABLE orders")\n',
        'await execute_sql(sql=f"SELECT * FROM {input()}")\n',
        'for sql in ["SELECT 1", "DROP TABLE orders"]:\n    await execute_sql(sql=sql)\n',
        'await execute_sql(sql="SELECT 1", **eval(input()))\n',
        'await execute_sql(sql="SELECT 1", query="DROP TABLE orders")\n',
    ):
        assert risk(hostile, reading_standing=Standing.RUNS) is not Risk.LOW, hostile
    other = Tool("db", "delete_by_query", hints=Hints(destructive=True), reading_standing=Standing.RUNS)
    code = 'from servers.db import delete_by_query\nawait delete_by_query(query="SELECT 1")\n'
    assert assess(code, [other]).risk is Risk.HIGH
