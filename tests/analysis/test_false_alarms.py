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


WRITERS = """
import matplotlib.pyplot as plt; plt.savefig("workspace/a.png")
import matplotlib.pyplot as plt; plt.imsave("workspace/a.png", [[1]])
from PIL import Image; Image.new("RGB", (1, 1)).save("workspace/a.png")
import openpyxl; w = openpyxl.Workbook(); w.save("workspace/a.xlsx")
import numpy as np; np.zeros(3).tofile("workspace/a.bin")
import numpy as np; np.memmap("workspace/a.bin", mode="w+", shape=3)
import polars as pl; pl.DataFrame().write_csv("workspace/a.csv")
import plotly.express as px; px.line().write_html("workspace/a.html")
import xml.etree.ElementTree as ET; ET.ElementTree(ET.Element("a")).write("workspace/a.xml")
import logging; logging.basicConfig(filename="workspace/a.log")
import mailbox; m = mailbox.mbox("workspace/a.mbox"); m.add("x"); m.flush()
import fileinput; print([line for line in fileinput.input("workspace/a.txt", inplace=True)])
import cv2; cv2.imwrite("workspace/a.png", 1)
import pyarrow.parquet as pq; pq.write_table(1, "workspace/a.parquet")
import torch; torch.save(1, "workspace/a.pt")
import wave; w = wave.open("workspace/a.wav", "wb")
import pandas as pd; pd.DataFrame().to_json("workspace/a.json")
import cProfile; p = cProfile.Profile(); p.dump_stats("workspace/a.csv")
""".strip().split("\n")


@pytest.mark.parametrize("code", WRITERS)
def test_a_library_that_writes_a_file_is_noticed_and_its_text_is_not(code: str) -> None:
    found = assess(code, [])
    assert found.gate is Gate.ASK
    assert [one.subject.split("/")[0] for one in found.findings if one.rule == "file.write"] == ["workspace"]


def test_the_same_methods_without_a_file_do_not_ask() -> None:
    code = """
import io, logging, wave, numpy as np, pandas as pd, polars as pl, matplotlib.pyplot as plt
table = pd.DataFrame({"a": [1]})
print(table.to_json(), table.to_csv(), table.to_json(orient="records"), pl.DataFrame().write_csv())
picture = io.BytesIO()
plt.savefig(picture)
logging.basicConfig(level="INFO")
wave.open("workspace/a.wav", "rb")
np.memmap("workspace/a.bin", mode="r")
"""
    assert assess(code, []).gate is Gate.AUTO, assess(code, []).findings
