"""Measures forms for the tools of real servers: whether all parameters get fields, and whether values survive a round
trip.

    python benchmarks/forms.py [FOLDER]

FOLDER contains recorded tool lists, one JSON file per server (a list of tools, or an object with "tools"). Without it,
the unusual schemas of `schema_instances.py` are used. Values are generated at random from each input schema. Afterwards
a long line of JSON is pasted into each editor, compared with a plain widget with short lines of the same total size.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from PySide6.QtCore import QMimeData  # noqa: E402
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget  # noqa: E402
from schema_instances import AWKWARD, Instances  # noqa: E402

from workbench.gui.code.code_editor import CodeEditor  # noqa: E402
from workbench.gui.forms.form import SchemaForm  # noqa: E402
from workbench.gui.forms.schema_shapes import Kind, shape_of  # noqa: E402
from workbench.gui.forms.simple_editors import RawEditor  # noqa: E402
from workbench.gui.kit.json_text import dump  # noqa: E402
from workbench.gui.kit.plain_edit import PlainEdit  # noqa: E402
from workbench.gui.kit.theme import Theme  # noqa: E402

VALUES = 12  # generated values per tool
LONG_LINES = (1_000_000, 10_000_000)  # characters


@dataclass
class Tally:
    """Counts of the results."""

    tools: int = 0
    usable: int = 0
    values: int = 0
    unchanged: int = 0
    rightly_quiet: int = 0
    milliseconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)


def main(folder: str) -> None:
    application = QApplication([])
    theme = Theme("dark")
    theme.apply()
    holder = QWidget()
    holder.resize(420, 700)
    form = SchemaForm(theme, holder)
    form.resize(holder.size())
    holder.show()
    tally = Tally()
    for name, tool in _tools(folder):
        _try(form, name, tool.get("inputSchema") or {}, tally, application)
    print(f"tools: {tally.tools}; with a usable form: {tally.usable}")
    print(f"values made from their schemas: {tally.values}; form → JSON → form unchanged: {tally.unchanged}")
    print(f"values of these that the check finds nothing wrong with: {tally.rightly_quiet}")
    times = sorted(tally.milliseconds)
    print(f"a form is made in {statistics.median(times):.1f} ms (p50), {times[-1]:.0f} ms at most")
    for miss in tally.misses[:20]:
        print(f"  {miss}")
    for size in LONG_LINES:
        _long_line(theme, size, application)


def _tools(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if not folder:
        yield from AWKWARD.items()
        return
    for path in sorted(Path(folder).glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        listed = told if isinstance(told, list) else told.get("tools") or (told.get("result") or {}).get("tools")
        for tool in listed or ():
            yield f"{path.stem}.{tool['name']}", tool


def _try(form: SchemaForm, name: str, schema: dict[str, Any], tally: Tally, application: QApplication) -> None:
    before = time.perf_counter()
    form.set_schema(schema)
    application.processEvents()
    tally.milliseconds.append((time.perf_counter() - before) * 1000)
    tally.tools += 1
    tally.usable += _usable(form, name, schema, tally)
    dice = random.Random(name)
    for _ in range(VALUES):
        value = Instances(schema, dice).make(schema)
        if not isinstance(value, dict):
            continue
        tally.values += 1
        if _comes_back(form, value):
            tally.unchanged += 1
        else:
            tally.misses.append(f"{name} changed {dump(value, indent=None)[:100]}")
        faults = form.faults()
        tally.rightly_quiet += not faults
        if faults:
            tally.misses.append(f"{name} is said to be wrong: {faults[0]}")
    application.processEvents()


def _usable(form: SchemaForm, name: str, schema: dict[str, Any], tally: Tally) -> bool:
    """Whether every parameter has a field, with raw JSON only where the schema allows any value."""
    raw = [editor for editor in form.findChildren(RawEditor) if editor.isVisibleTo(form)]
    shape = shape_of(schema, schema)
    wrong = [editor.spec.name for editor in raw if not _free(editor)]
    if wrong:
        tally.misses.append(f"{name} edits as raw JSON: {', '.join(wrong)}")
    return not form.json_shown() and not wrong and shape.kind is not Kind.CONST


def _free(editor: RawEditor) -> bool:
    return shape_of(editor.spec.schema, editor.spec.root).kind is Kind.RAW


def _comes_back(form: SchemaForm, value: dict[str, Any]) -> bool:
    wanted = dump(value)
    form.set_value(value)
    as_fields = dump(form.value())
    form.show_json(True)
    as_text = dump(form.value())
    form.show_json(False)
    return not form.json_shown() and as_fields == as_text == dump(form.value()) == wanted


def _long_line(theme: Theme, size: int, application: QApplication) -> None:
    """Measure one line of JSON in each kind of editor: pasting, painting, and typing a letter in its middle."""
    word = json.dumps({"title": "a" * size})
    rows = json.dumps([{"title": "x y"}] * (size // 18))
    form = SchemaForm(theme)
    form.set_schema({"type": "object"})
    form.show_json(True)
    forms = next(box for box in form.findChildren(PlainEdit) if box.isVisibleTo(form))
    print(f"one line of {size:,} characters: milliseconds until it is drawn / for the next letter")
    for name, text in (("one word", word), ("many words", rows)):
        bare = _paste(QPlainTextEdit(), None, "\n".join(text[at : at + 80] for at in range(0, size, 80)), application)
        told = [f"bare widget, short lines {bare[0]:,.0f} / {bare[1]:,.0f}"]
        for words, top, edit in (
            ("JSON of a form", form, forms),
            ("message or program", None, CodeEditor(theme, None, "json")),
            ("answer or detail", None, PlainEdit()),
        ):
            drawn, letter = _paste(edit, top, text, application)
            told.append(f"{words} {drawn:,.0f} / {letter:,.0f}")
        print(f"  {name}: {'; '.join(told)}")


def _paste(edit: QPlainTextEdit, top: QWidget | None, text: str, application: QApplication) -> tuple[float, float]:
    top = top or edit
    top.resize(700, 500)
    top.show()
    data = QMimeData()
    data.setText(text)
    application.processEvents()
    edit.selectAll()
    before = time.perf_counter()
    edit.insertFromMimeData(data)
    application.processEvents()
    top.grab()
    between = time.perf_counter()
    cursor = edit.textCursor()
    cursor.setPosition(len(text) // 2)
    edit.setTextCursor(cursor)
    edit.insertPlainText("b")
    application.processEvents()
    top.grab()
    after = time.perf_counter()
    top.hide()
    return (between - before) * 1000, (after - between) * 1000


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
