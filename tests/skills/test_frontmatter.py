"""Heads of SKILL.md files: ours, other people's, and hostile ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.skills.frontmatter import Head, HeadFault, Value, items, read_head, write_head


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("key: plain words", "plain words"),
        ("key:   plain # comment", "plain"),
        ("key: with#hash", "with#hash"),
        ("key: http://example.com", "http://example.com"),
        ('key: "quoted: \\"x\\" # no comment"', 'quoted: "x" # no comment'),
        ('key: "\\u00e9\\x41\\n"', "éA\n"),
        ("key: 'it''s'", "it's"),
        ("key: 'x' # comment", "x"),
        ("key:", ""),
        ("key: [a, 'b, c', \"d\"]", ["a", "b, c", "d"]),
        ("key: [a,\n  b]", ["a", "b"]),
        ("key: []", []),
        ("key:\n  - one\n  - 'two'", ["one", "two"]),
        ("key:\n- one\n- two", ["one", "two"]),
        ("key: >\n  folded\n  text\n\n  next", "folded text\nnext"),
        ("key: >-\n  folded\n  text", "folded text"),
        ("key: |\n  one\n    two\n  three", "one\n  two\nthree"),
        ("key: plain\n  goes on", "plain goes on"),
        ('key: "quoted\n  goes on"', "quoted goes on"),
        ("key:\n  a: 1\n  b: 'two'", {"a": "1", "b": "two"}),
        ("key:\n  a: [x, y]", {"a": "x, y"}),
    ],
)
def test_ordinary_yaml_is_read(line: str, value: Value) -> None:
    head = read_head(f"---\n# comment\nbefore: 1\n{line}\nafter: 2\n---\nbody\n")
    assert head.fields == {"before": "1", "key": value, "after": "2"}
    assert head.body == "body"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "begin with"),
        ("name: x", "begin with"),
        ("---\nname: x", "second line"),
        ("---\n: x\n---\n", "line 2"),
        ("---\nname: x\n  odd\n???\n---\n", "line 4"),
        ("---\nname: &anchor x\n---\n", "special meaning"),
        ("---\nname: *alias\n---\n", "special meaning"),
        ("---\nname: !!python/object:os.system x\n---\n", "special meaning"),
        ("---\nname: {a: b}\n---\n", "special meaning"),
        ('---\nname: "open\n---\n', "no end"),
        ("---\nname: [a\n---\n", "no end"),
        ("---\nname: a\nname: b\n---\n", "twice"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(HeadFault, match=reason):
        read_head(text)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nbody"):
        try:
            found = read_head(whole)
        except HeadFault:
            continue
        assert isinstance(found, Head)


@settings(deadline=None)
@given(st.text(), st.dictionaries(st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True), st.text(), min_size=1))
def test_what_is_written_is_read_back(description: str, metadata: dict[str, str]) -> None:
    head = read_head(write_head({"name": "x", "description": description, "metadata": metadata}, "# Body"))
    assert head.text("description") == description
    assert head.nested("metadata") == metadata
    assert head.body == "# Body"


def test_a_list_is_read_however_it_was_written() -> None:
    assert items("a, b") == items(["a", " b "]) == ("a", "b")
    assert items("") == ()
