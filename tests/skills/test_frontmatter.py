"""Front matter of SKILL.md files: ours, other people's, and hostile ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.skills.frontmatter import (
    DEEPEST,
    LONGEST,
    FrontMatter,
    FrontMatterError,
    Value,
    items,
    read_front_matter,
    read_nested_fields,
    write_front_matter,
)


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
        ("key: {a: b}", {"a": "b"}),
        ("key: true", "true"),
        ("key: 2026-11-19", "2026-11-19"),
        ("key: 0x10", "0x10"),
        ("key: ~", "~"),
        ("key:\n  a:\n    b: [c]", {"a": '{"b": ["c"]}'}),
        ("key:\n  - a: b\n    c: d", ['{"a": "b", "c": "d"}']),
    ],
)
def test_ordinary_yaml_is_read_as_strings(line: str, value: Value) -> None:
    head = read_front_matter(f"---\n# comment\nbefore: 1\n{line}\nafter: 2\n---\nbody\n")
    assert head.fields == {"before": "1", "key": value, "after": "2"}
    assert head.body == "body"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("key: Use this: when you want", "Use this: when you want"),
        ("key: Ends with a colon:", "Ends with a colon:"),
        ("key: it's: so # comment", "it's: so"),
        ("key: Use when: a\n  goes on: b", "Use when: a goes on: b"),
        ("key: - a dash", "- a dash"),
        ("key:\n  a: b: c\n  d: 1", {"a": "b: c", "d": "1"}),
        ("key:\n  - Use this: when", ["Use this: when"]),
    ],
)
def test_values_that_other_clients_write_without_quotes_are_read(line: str, value: Value) -> None:
    block = "text: |\n  not: a: key\n"
    head = read_front_matter(f"---\n{block}{line}\nafter: 2\n---\nbody\n")
    assert head.fields == {"text": "not: a: key", "key": value, "after": "2"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "begin with"),
        ("name: x", "begin with"),
        ("---\nname: x", "second line"),
        ("---\n: x\n---\n", "line 2"),
        ("---\n? [a, b]\n: x\n---\n", "line 2"),
        ("---\n- a\n- b\n---\n", "line 2: expected `key: value`"),
        ("---\njust words\n---\n", "line 2: expected `key: value`"),
        ("---\nname: x\n  odd\n???\n---\n", "line 4"),
        ("---\nname: &anchor x\n---\n", "special meaning"),
        ("---\nname: *alias\n---\n", "special meaning"),
        ("---\nname: !!python/object:os.system x\n---\n", "special meaning"),
        ("---\nname: !!python/object/apply:os.system [id]\n---\n", "special meaning"),
        ("---\n!!str name: x\n---\n", "special meaning"),
        ('---\nname: "open\n---\n', "unexpected end"),
        ("---\nname: [a\n---\n", "line 3"),
        ("---\nname: a\nname: b\n---\n", "twice"),
        ("---\nname: a\n'name': b\n---\n", "line 3: the key name occurs twice"),
        ("---\nmetadata:\n  a: 1\n  a: 2\n---\n", "line 4: the key a occurs twice"),
        ("---\nname: @x\n---\n", "cannot start"),
        ("---\nname: \ud800\n---\n", "not valid Unicode"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(FrontMatterError, match=reason):
        read_front_matter(text)


def _laughs() -> str:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))]
    return "\n".join(lines)


def test_hostile_yaml_is_refused_or_read_at_once() -> None:
    hostile = {
        "billion laughs": _laughs(),
        "an alias of itself": "a: &a [*a]",
        "merge keys": "a: &a {b: c}\nd:\n  <<: *a",
        "nested lists": "a: " + "[" * 31_000 + "]" * 31_000,
        "nested mappings": "a: " + "{a: " * 15_000,
        "nested blocks": "\n".join(" " * depth + "a:" for depth in range(340)),
        "nested dashes": "a:\n  " + "- " * 31_000 + "x",
        "a huge text": "a: " + "x" * (LONGEST - 20),
        "too huge a text": "a: " + "x" * LONGEST,
        "quotes": "a: '" + "x'' " * 15_000 + "'",
        "many keys": "\n".join(f"k{number}: v" for number in range(7_000)),
        "one key many times": "\n".join("a: b: c" for _ in range(7_000)),
        "colons": "a: " + "b: " * 20_000,
        "spaces": "a" + " " * 60_000 + "b",
        "comments": " #" * 30_000,
        "a huge key": "'" + "k" * 60_000 + "': v",
    }
    for what, head in hostile.items():
        started = time.process_time()
        try:
            found = read_front_matter(f"---\n{head}\n---\nbody").fields
        except FrontMatterError as refused:
            fault = str(refused)
        else:
            fault = ""
            assert sum(len(key) + len(str(value)) for key, value in found.items()) < 4 * LONGEST, what
        assert len(fault) < 500, what
        assert time.process_time() - started < 1, what


@settings(deadline=None)
@given(st.integers(1, 3 * DEEPEST), st.sampled_from(["[{}]", "{{a: {}}}", "\n{pad}a: {}", "\n{pad}- {}"]))
def test_depth_is_bounded(depth: int, form: str) -> None:
    head = "x"
    for level in range(depth, 0, -1):
        head = form.format(head, pad=" " * level)
    text = f"---\na: {head}\n---\n"
    if depth >= DEEPEST:
        with pytest.raises(FrontMatterError, match="levels deep"):
            read_nested_fields(text)
        return
    found = read_nested_fields(text)["a"]
    for _ in range(depth):
        found = found[0] if isinstance(found, list) else found["a"] if isinstance(found, dict) else ""
    assert found == "x"


@settings(deadline=None)
@given(st.text(st.sampled_from("ab:- #'\"\\\n\t[]{}&*!|>%@`,?<~=\u2028é\ud800\x00"), max_size=60))
def test_any_yaml_becomes_strings_or_is_refused(head: str) -> None:
    def check(node: object) -> None:
        if isinstance(node, dict):
            assert all(isinstance(key, str) for key in node)
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            check(inner)
        assert isinstance(node, str | list | dict)

    try:
        check(read_nested_fields(f"---\n{head}\n---\nbody"))
    except FrontMatterError:
        return


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nbody"):
        try:
            found = read_front_matter(whole)
        except FrontMatterError:
            continue
        assert isinstance(found, FrontMatter)


@settings(deadline=None)
@given(
    st.text(),
    st.dictionaries(
        st.one_of(st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True), st.text("ab:#-'\" \\", min_size=1)),
        st.text(),
        min_size=1,
    ),
)
def test_what_is_written_is_read_back(description: str, metadata: dict[str, str]) -> None:
    text = write_front_matter({"name": "x", "description": description, "metadata": metadata}, "# Body")
    head = read_front_matter(text)
    assert head.text("description") == description
    assert head.nested("metadata") == metadata
    assert head.body == "# Body"


def test_a_list_is_read_however_it_was_written() -> None:
    assert items("a, b") == items(["a", " b "]) == ("a", "b")
    assert items("") == ()
