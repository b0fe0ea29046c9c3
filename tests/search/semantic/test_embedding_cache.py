"""Rows stay on disk by model and text; a file that cannot be used costs nothing but time."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.search.semantic import embedding_cache as room
from workbench.search.semantic.embedding_cache import EmbeddingCache


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "meanings.sqlite"


def test_what_is_kept_is_found_again_by_the_same_model_only(file: Path) -> None:
    one, other = EmbeddingCache(file, "one"), EmbeddingCache(file, "other")
    one.keep({one.key("text"): b"row"})
    assert EmbeddingCache(file, "one").rows([one.key("text"), one.key("text 2")]) == {one.key("text"): b"row"}
    assert other.rows([other.key("text")]) == {}
    assert file.stat().st_mode & 0o777 == 0o600


def test_many_rows_are_found_at_once(file: Path) -> None:
    kept = EmbeddingCache(file, "one")
    rows = {kept.key(f"text {number}"): b"%d" % number for number in range(1_234)}
    kept.keep(rows)
    assert kept.rows(list(rows)) == rows


def test_the_longest_unused_go_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_ROWS", 2)
    clock = iter(range(1, 100))
    monkeypatch.setattr(room.time, "time", lambda: next(clock))
    kept = EmbeddingCache(file, "one")
    a, b, c = (kept.key(text) for text in "abc")
    kept.keep({a: b"a"})
    kept.keep({b: b"b"})
    kept.rows([a])
    kept.keep({c: b"c"})
    assert kept.rows([a, b, c]).keys() == {a, c}


def test_a_file_that_is_no_database_is_begun_anew(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"no database at all, whatever it is" * 50)
    kept = EmbeddingCache(file, "one")
    assert kept.rows([kept.key("text")]) == {}
    kept.keep({kept.key("text"): b"row"})
    assert kept.rows([kept.key("text")]) == {kept.key("text"): b"row"}


def test_a_place_that_cannot_be_written_is_no_reason_to_stop(file: Path) -> None:
    file.parent.write_text("a file where a folder should be")
    kept = EmbeddingCache(file, "one")
    kept.keep({kept.key("text"): b"row"})
    assert kept.rows([kept.key("text")]) == {}


def test_a_link_is_not_followed(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    file.symlink_to(tmp_path / "elsewhere")
    kept = EmbeddingCache(file, "one")
    kept.keep({kept.key("text"): b"row"})
    assert not (tmp_path / "elsewhere").exists()
