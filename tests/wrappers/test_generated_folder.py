"""What every language's folder of generated functions has in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.identifiers import python_names
from workbench.records import Tool
from workbench.wrappers.generated_folder import (
    INDEX,
    FolderStyle,
    GeneratedModule,
    definition_hash,
    read_index,
    replace_file,
    write_folder,
)


def module(tool: Tool, function: str, written: str) -> tuple[str, ...]:
    if tool.input_schema:
        raise ValueError("not like this")
    return (f"{function} {tool.description}", written)


def index_files(server: str, entries: Mapping[str, GeneratedModule], written: str) -> dict[str, str]:
    return {"door.txt": f"{server}: {', '.join(entry.stem for entry in entries.values())}"}


STYLE = FolderStyle("1", "here.", (".txt", ".time"), python_names, frozenset(("door",)), module, index_files)


def test_each_tool_has_all_its_files_and_the_folder_its_door(tmp_path: Path) -> None:
    assert write_folder("demo", [Tool("demo", "a"), Tool("demo", "Door")], tmp_path, STYLE) == ()
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"a.txt", "a.time", "Door_.txt", "Door_.time", "door.txt", INDEX}
    assert (tmp_path / "door.txt").read_text() == "demo: a, Door_"


def test_a_file_that_is_missing_is_written_again(tmp_path: Path) -> None:
    tools = [Tool("demo", "a", hash="1")]
    write_folder("demo", tools, tmp_path, STYLE)
    (tmp_path / "a.time").unlink()
    write_folder("demo", tools, tmp_path, STYLE)
    assert (tmp_path / "a.time").read_text() == read_index(tmp_path)["written"]


def test_another_format_writes_everything_again(tmp_path: Path) -> None:
    tools = [Tool("demo", "a", hash="1")]
    write_folder("demo", tools, tmp_path, STYLE)
    (tmp_path / "a.txt").write_text("old")
    write_folder("demo", tools, tmp_path, STYLE)
    assert (tmp_path / "a.txt").read_text() == "old"
    newer = FolderStyle("2", STYLE.place, STYLE.endings, STYLE.names, STYLE.stems, STYLE.module, STYLE.index_files)
    write_folder("demo", tools, tmp_path, newer)
    assert (tmp_path / "a.txt").read_text() == "a "


def test_what_cannot_be_written_as_defined_is_written_plainly_with_a_warning(tmp_path: Path) -> None:
    bad = Tool("demo", "a", description="gone", input_schema={"type": "object"})
    (warning,) = write_folder("demo", [bad], tmp_path, STYLE)
    assert warning == "a accepts any arguments: its definition is unusable (ValueError: not like this)."
    assert (tmp_path / "a.txt").read_text() == "a "


def test_tools_whose_turn_comes_too_late_take_anything_until_there_is_time(tmp_path: Path) -> None:
    tools = [Tool("demo", name, description="Does it.") for name in ("a", "b", "c")]
    moments = iter([0.0, 0.0, 6.0, 6.0])
    (warning,) = write_folder("demo", tools, tmp_path, STYLE, clock=lambda: next(moments))
    assert warning == "2 tools accept any arguments: writing the functions took longer than 5 s."
    assert [(tmp_path / f"{name}.txt").read_text() for name in "abc"] == ["a ", "b ", "c Does it."]
    assert write_folder("demo", tools, tmp_path, STYLE) == ()
    assert [(tmp_path / f"{name}.txt").read_text() for name in "abc"] == ["a Does it.", "b Does it.", "c Does it."]


def test_a_hash_follows_what_a_function_depends_on() -> None:
    assert definition_hash(Tool("s", "a", hash="h")) == "h"
    assert definition_hash(Tool("s", "a")) != definition_hash(Tool("s", "a", description="Else."))


def test_an_unchanged_file_stays_untouched(tmp_path: Path) -> None:
    target = tmp_path / "x"
    replace_file(target, "1")
    before = target.stat().st_ino
    replace_file(target, "1")
    assert target.stat().st_ino == before
    replace_file(target, "2")
    assert target.read_text() == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
