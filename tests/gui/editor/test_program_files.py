"""Programs as files, symbols, problems and schemes: the parts that need no window."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import problems_of_text, problems_of_verdict
from workbench.gui.code.colour_schemes import MIN_CONTRAST, readable, scheme_named, scheme_names
from workbench.gui.code.completion import name_before, rank_candidates
from workbench.gui.editor.program_files import language_of, read_text, write_text
from workbench.gui.editor.program_pickers import symbols_of
from workbench.gui.kit.colours import DARK, LIGHT, contrast
from workbench.records import Candidate, Finding, Gate, Risk, Span, Verdict


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_file_comes_back_as_it_was(tmp_path: Path, ends: str) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(f"x = 'ä'{ends}y = 2{ends}".encode())
    file.chmod(0o600)
    held = read_text(file)
    assert (held.text, held.exact) == ("x = 'ä'\ny = 2\n", True)
    write_text(file, held.text, held.line_ends)
    assert file.read_bytes() == f"x = 'ä'{ends}y = 2{ends}".encode()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("raw", ["x\r\ny\n", "x\u2028y", "x\ry", "\ufeffx"])
def test_what_an_editor_would_change_is_told(tmp_path: Path, raw: str) -> None:
    (tmp_path / "a.py").write_bytes(raw.encode())
    assert not read_text(tmp_path / "a.py").exact


def test_what_cannot_be_read_or_written_says_why(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name, words in (("binary", "UTF-8"), ("none", "not a file")):
        with pytest.raises(WorkbenchError, match=words):
            read_text(tmp_path / name)
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_text(tmp_path / "no" / "folder.py", "x", "\n")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("old")
    os.symlink(tmp_path / "real.py", tmp_path / "link.py")
    write_text(tmp_path / "link.py", "new", "\n")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text() == "new"
    assert [file.name for file in tmp_path.glob(".new-*")] == []


def test_the_ending_tells_the_language() -> None:
    assert [language_of(Path(name)) for name in ("a.ts", "b.JSON", "c.md", "d.toml", "e")] == [
        "typescript", "json", "markdown", "toml", "python",
    ]  # fmt: skip


def test_symbols_are_found_also_where_a_text_does_not_parse() -> None:
    text = 'class A:\n    async def b(self): (\n\ndef c(): pass\n"""\ndef not_one(): pass\n"""\ndef d('
    assert [(one.name, one.line, one.depth) for one in symbols_of(text, "python")] == [
        ("A", 1, 0), ("b", 2, 4), ("c", 4, 0), ("d", 8, 0),
    ]  # fmt: skip
    assert [one.name for one in symbols_of("export async function go() {}\ninterface I {}", "typescript")] == [
        "go",
        "I",
    ]
    assert [one.name for one in symbols_of("# One\ntext\n## Two", "markdown")] == ["One", "Two"]
    assert [one.name for one in symbols_of("[a.b]\nx = 1\n[[c]]", "toml")] == ["a.b", "c"]
    assert [one.name for one in symbols_of('{\n  "a": {\n    "b": 1\n  }\n}', "json")] == ["a"]


def test_problems_have_their_places() -> None:
    (one,) = problems_of_text('{\n  "a": ,\n}', "json")
    assert (one.line, one.column) == (2, 7)
    (one,) = problems_of_text("a = 1\nb = = 2", "toml")
    assert one.line == 2
    for text, language in (("[1]", "json"), ("anything", "markdown"), ("", "json")):
        assert problems_of_text(text, language) == ()
    assert problems_of_text("[" * 100_000, "json")[0].line == 1
    found = (Finding("b", Risk.LOW, "later", Span(9)), Finding("a", Risk.HIGH, "hid\u202eden", Span(2, 3, 2, 5)))
    told = problems_of_verdict(
        Verdict("s", Risk.HIGH, Gate.ASK, "x", found), (Finding("c", Risk.LOW, "nowhere", Span(0)),)
    )
    assert [(one.line, one.column) for one in told] == [(2, 3), (9, 0)]
    assert "\u202e" not in told[0].text
    calls = (Finding("c", Risk.MEDIUM, "no limt", Span(3)), Finding("c", Risk.LOW, "no limt", Span(4)))
    told = problems_of_verdict(Verdict("s", Risk.LOW, Gate.AUTO, "x"), calls)
    assert [(one.text, one.tone) for one in told] == [
        ("Will fail: no limt", "warning"),
        ("May fail: no limt", "warning"),
    ]


def test_names_that_begin_so_come_first() -> None:
    found = [Candidate(name, "function", 0) for name in ("my_list", "List", "list_orders", "other")]
    assert [one.name for one in rank_candidates(found, "li")] == ["list_orders", "List", "my_list"]
    assert len(rank_candidates(found, "")) == 4
    assert name_before("a.list_o", 8) == "list_o"
    assert name_before("12", 2) == ""


@pytest.mark.parametrize("base", [DARK, LIGHT], ids=["dark", "light"])
def test_every_scheme_can_be_read(base: object) -> None:
    dark = base is DARK
    known = scheme_names(dark=dark)
    assert len(known) > 3
    for name in known:
        scheme = scheme_named(name, DARK if dark else LIGHT)
        for role in ("code_text", "code_keyword", "code_string", "code_comment", "code_number", "muted", "text"):
            assert contrast(scheme.hex_colour(role), scheme.hex_colour("sunken")) >= MIN_CONTRAST, (name, role)


def test_a_scheme_that_is_gone_is_our_own() -> None:
    assert scheme_named("nothing-like-it", DARK).hex_colour("code_text") == DARK.code_text
    assert readable("#777777", "#777777") in ("#ffffff", "#000000")
