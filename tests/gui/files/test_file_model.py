"""The model of the tree: it asks for what is opened, keeps what stays, and is quick with thousands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex

from workbench.gui.files.file_model import MOST_MATCHES, FilesModel
from workbench.records import FileInfo


def info(path, kind="file", size=1):
    return FileInfo(path, size, 1.0, kind)


def paths(model, above=None):
    above = above if above is not None else QModelIndex()
    return [model.info(model.index(row, 0, above)).path for row in range(model.rowCount(above))]


@pytest.fixture
def model(qapp):
    return FilesModel()


def test_folders_are_asked_for_when_they_are_opened(model, qtmodeltester):
    asked = []
    model.folder_needed.connect(asked.append)
    model.show_tree()
    model.set_folder("", (info("a", "folder"), info("b.txt")))
    assert asked == [""]
    folder = model.find("a")
    assert model.canFetchMore(folder)
    model.fetchMore(folder)
    model.set_folder("a", (info("a/x.txt"), info("a/y.txt")))
    assert asked == ["", "a"]
    assert paths(model, model.find("a")) == ["a/x.txt", "a/y.txt"]
    assert model.parent(model.find("a/y.txt")) == model.find("a")
    qtmodeltester.check(model)


def test_what_stays_keeps_its_place_and_what_is_in_it(model):
    model.set_folder("", (info("a", "folder"), info("b.txt"), info("c.txt")))
    model.set_folder("a", (info("a/x.txt"),))
    kept = QPersistentModelIndex(model.find("a/x.txt"))
    gone = QPersistentModelIndex(model.find("b.txt"))
    model.set_folder("", (info("0", "folder"), info("a", "folder"), info("bb.txt"), info("c.txt", size=9)))
    assert paths(model) == ["0", "a", "bb.txt", "c.txt"]
    assert model.info(QModelIndex(kept)).path == "a/x.txt"
    assert not gone.isValid()
    assert model.info(model.find("c.txt")).size == 9
    model.set_folder("", (info("a"),))
    assert (paths(model), model.info(model.find("a")).kind) == (["a"], "file"), "a folder became a file"


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@settings(max_examples=60)
@given(NAMES, NAMES, NAMES)
def test_whatever_comes_is_what_is_shown(one, other, third):
    model = FilesModel()
    for names in (one, other, third):
        model.set_folder("", [info(name) for name in names])
        assert paths(model) == names
        assert all(model.find(name).row() == row for row, name in enumerate(names))


def test_thousands_are_read_again_in_no_time(model):
    many = [info(f"{number:05}.txt") for number in range(10_000)]
    model.set_folder("", many)
    began = time.process_time()
    model.set_folder("", [*many[:5_000], *many[5_001:], info("new.txt")])
    assert time.process_time() - began < 3, "one step a file, not one for each pair"
    assert model.rowCount() == 10_000
    model.show_matches(many)
    assert model.rowCount() == MOST_MATCHES
