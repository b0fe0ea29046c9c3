"""The folder of saved calls: patient with what lies there, and never writing outside of it."""

from __future__ import annotations

import json
import os
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.calls import saved_call_files as store_file
from workbench.calls.json_paths import covers, find, format_path, steps
from workbench.calls.saved_call_files import CallStore, file_of
from workbench.calls.saved_call_format import Misread, read, write
from workbench.errors import WorkbenchError
from workbench.records import Expect, Expectation, SavedCall

ELSEWHERE = [
    "../x.json",
    "calls/../x.json",
    "/etc/x.json",
    "calls/a/b/c.json",
    "calls/x.txt",
    "skills/x.json",
    "calls/.git/x.json",
]
CALL = SavedCall("shop", "late orders", "demo", "list_orders", {"limit": 1})


@pytest.fixture
def store(tmp_path) -> CallStore:
    return CallStore(tmp_path)


def test_an_empty_project_has_none(store):
    assert store.list().calls == ()


def test_a_call_is_saved_listed_and_read_again(store, tmp_path):
    kept = store.save(CALL, "")
    assert kept.file == "calls/shop/late orders.json"
    assert (tmp_path / kept.file).read_text().endswith("}\n")
    assert store.list().calls == (kept,)
    assert store.get(kept.file) == kept


def test_a_new_call_replaces_none_and_a_changed_one_replaces_itself(store):
    kept = store.save(CALL, "")
    with pytest.raises(WorkbenchError, match="already"):
        store.save(CALL, "")
    assert store.save(replace(kept, note="x"), kept.file).note == "x"
    renamed = store.save(replace(kept, name="other", collection=""), kept.file)
    assert [call.file for call in store.list().calls] == [renamed.file] == ["calls/other.json"]


def test_a_call_that_was_taken_away_comes_back_byte_for_byte(store, tmp_path):
    kept = store.save(CALL, "")
    (tmp_path / kept.file).write_text('{"tool":"t",\n\n"server":"s"}')
    text = store.remove(kept.file)
    assert not (tmp_path / "calls" / "shop").exists()
    store.restore(kept.file, text)
    assert (tmp_path / kept.file).read_text() == text
    with pytest.raises(WorkbenchError, match="already"):
        store.restore(kept.file, text)
    with pytest.raises(WorkbenchError, match="no saved call"):
        store.remove("calls/shop/none.json")


def test_what_cannot_be_read_is_told_with_its_line_and_hides_nothing(store, tmp_path):
    store.save(CALL, "")
    folder = tmp_path / "calls" / "shop"
    (folder / "broken.json").write_text('{\n"server": 1}')
    (folder / "latin.json").write_bytes(b'{"server": "\xff"}')
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    (folder / "notes.md").write_text("no call")
    (folder / ".hidden.json").write_text("no call")
    (folder / "bom.json").write_bytes(b'\xef\xbb\xbf{"server": "s", "tool": "t"}')
    found = store.list()
    assert [call.name for call in found.calls] == ["bom", "late orders"]
    assert {(one.file.rpartition("/")[2], one.line) for one in found.broken} == {
        ("broken.json", 2), ("latin.json", 0), ("folder.json", 0), ("pipe.json", 0),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["", ".x", "a/b", "..", "a\n", " a", "a ", "a.", "x" * 90, "a:b", "a\\b"])
def test_names_that_could_lead_elsewhere_are_refused(name):
    with pytest.raises(WorkbenchError):
        file_of("shop", name)


@pytest.mark.parametrize(
    "file",
    [
        "../x.json",
        "calls/../x.json",
        "/etc/x.json",
        "calls/a/b/c.json",
        "calls/x.txt",
        "skills/x.json",
        "calls/.git/x.json",
    ],
)
def test_files_elsewhere_are_not_touched(store, file):
    for work in (store.get, store.remove, lambda name: store.restore(name, "{}")):
        with pytest.raises(WorkbenchError):
            work(file)


@pytest.mark.parametrize("link", ["calls", "calls/shop"])
def test_nothing_is_written_through_a_link(store, tmp_path, link):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)
    with pytest.raises(WorkbenchError, match="is a symbolic link"):
        store.save(CALL, "")
    assert store.list().calls == ()
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_sentence(store, tmp_path):
    (tmp_path / "calls").write_text("a file in the way")
    with pytest.raises(WorkbenchError, match="cannot be written"):
        store.save(CALL, "")
    assert store.list().calls == ()


def test_a_flood_of_files_is_read_up_to_a_limit_and_said(store, tmp_path, monkeypatch):
    monkeypatch.setattr(store_file, "MOST", 2)
    for name in "abc":
        store.save(replace(CALL, name=name), "")
    found = store.list()
    assert len(found.calls) == 2
    assert "more than 2" in found.broken[0].fault.message


# files of saved calls: one order of keys, nothing lost, and a line for what cannot be understood


WHOLE_CALL = SavedCall(
    "shop",
    "late",
    "demo",
    "list_orders",
    {"limit": 3, "city": "Köln"},
    "Orders that are late.",
    ("smoke",),
    (
        Expectation(Expect.OK),
        Expectation(Expect.COUNT, 1, "orders"),
        Expectation(Expect.KEPT, ignore=("orders[*].placed",)),
    ),
    {"orders": []},
    ("word",),
    {"owner": "ada"},
    "calls/shop/late.json",
)


def again(text: str) -> SavedCall:
    return read(text, "shop", "late", "calls/shop/late.json")


def test_a_file_reads_like_prose_and_comes_back_whole():
    text = write(WHOLE_CALL)
    assert again(text) == WHOLE_CALL
    assert list(json.loads(text)) == [
        "server", "tool", "note", "tags", "arguments", "expect", "kept", "secret", "owner",
    ]  # fmt: skip
    assert '"city": "Köln"' in text
    assert '{\n      "path": "orders",\n      "count": 1\n    }' in text
    assert write(again(text)) == text


def test_what_is_empty_is_not_written():
    text = write(SavedCall("", "a", "demo", "t"))
    assert json.loads(text) == {"server": "demo", "tool": "t", "arguments": {}}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{\n "server": "a",\n}', 3, "line 3, column 1"),
        ("", 1, "line 1"),
        ("[]", 1, "does not contain a JSON object"),
        ('{"server": "a"}', 1, '"tool" must be a non-empty string'),
        ('{\n"server": 1}', 2, '"server" must be a non-empty string'),
        ('{"server": "a", "tool": "b",\n"arguments": [1]}', 2, "arguments is not an object"),
        ('{"server": "a", "tool": "b",\n\n"tags": "x"}', 3, "tags is not a list of strings"),
        ('{"server": "a", "tool": "b",\n"expect": [{}]}', 2, "expectation 1 is not valid"),
        ('{"server": "a", "tool": "b",\n"expect": [{"ok": true, "text": "a"}]}', 2, "expectation 1 is not valid"),
        ('{"server": "a", "tool": "b",\n"expect": [{"ok": false}]}', 2, "ok takes true"),
        ('{"server": "a", "tool": "b",\n"expect": [{"type": "date"}]}', 2, "type takes one of string"),
        ('{"server": "a", "tool": "b",\n"expect": [{"count": true}]}', 2, "count takes a whole number"),
        ('{"server": "a", "tool": "b",\n"expect": [{"exists": true, "path": "a["}]}', 2, "syntax error"),
        ('{"server": "a", "tool": "b",\n"expect": [{"exists": true, "path": 3}]}', 2, "is not a string"),
    ],
)
def test_what_cannot_be_understood_has_a_line(text, line, words):
    with pytest.raises(Misread, match=words) as caught:
        again(text)
    assert caught.value.line == line
    assert "calls/shop/late.json" in caught.value.message


def test_no_depth_of_nesting_breaks_the_reading():
    for depth in (*range(100, 1_000, 50), 5_000):
        with suppress(WorkbenchError):
            again('{"server": "a", "tool": "b", "arguments": {"a": ' + "[" * depth + "]" * depth + "}}")


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) |
                    st.dictionaries(st.text(), inner), max_leaves=6)  # fmt: skip


@given(st.dictionaries(st.text(), JSON), st.text(), JSON)
def test_any_arguments_note_and_answer_come_back(arguments, note, kept):
    call = SavedCall("shop", "late", "demo", "t", arguments, note, kept=kept, file="calls/shop/late.json")
    assert again(write(call)) == call


@given(st.text() | JSON.map(json.dumps))
def test_no_file_breaks_the_reading(text):
    try:
        again(text)
    except WorkbenchError as fault:
        assert fault.message.endswith(".")  # noqa: PT017


# paths lead to values, and a wrong one says where


VALUE = {"orders": [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}], "odd key": {"a.b": 3}, "total": None}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [VALUE]),
        ("$", [VALUE]),
        ("$.total", [None]),
        ("orders[0].id", [1]),
        ("orders[-1].id", [2]),
        ("orders[*].id", [1, 2]),
        ("orders.*.id", [1, 2]),
        ("orders[*].tags[*]", ["a"]),
        ('["odd key"]["a.b"]', [3]),
        ("odd key", [{"a.b": 3}]),
        ("orders[9].id", []),
        ("orders.id", []),
        ("total.deeper", []),
        ("nothing", []),
    ],
)
def test_a_path_leads_to_every_value_there(path, found):
    assert find(VALUE, steps(path)) == found


@pytest.mark.parametrize("path", ["a..b", "a[", "a[x]", "[", "a]", "a[1", '["a', "." * 600])
def test_a_wrong_path_is_a_sentence(path):
    with pytest.raises(WorkbenchError):
        steps(path)


@given(st.lists(st.text(min_size=1) | st.integers(-9, 99) | st.none(), max_size=6))
def test_what_is_written_is_read_the_same(path):
    if len(text := format_path(path)) <= 500:
        assert list(steps(text)) == path


def test_every_one_covers_any():
    assert covers(steps("a[*]"), ("a", 3, "deeper"))
    assert not covers(steps("a[*].b"), ("a", 3, "c"))
    assert not covers(steps("a.b"), ("a",))
