"""The folder of saved calls: patient with what lies there, and never writing outside of it."""

from __future__ import annotations

import os

import pytest
from msgspec.structs import replace

from workbench.calls import saved_call_files as store_file
from workbench.calls.saved_call_files import CallStore, file_of
from workbench.errors import WorkbenchError
from workbench.records import SavedCall

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
    with pytest.raises(WorkbenchError, match="is a link"):
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
