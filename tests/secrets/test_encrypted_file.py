"""The encrypted file: opened by its passphrase, by nothing else, and not without notice when it was changed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as run
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.secrets import encrypted_file

WORDS = "four words " + "are enough"
COST = 16
KEYS = st.sampled_from(["salt", "n", "nonce", "sealed", "format", "check"])
LEAVES = st.none() | st.integers() | st.text()
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "state" / "secrets.sealed"


def test_what_was_put_is_there_after_unlocking_and_nowhere_in_the_file(file):
    made = encrypted_file.create(file, WORDS, {"a": "value-of-a"}, COST)
    made.set_secret("github", "value-of-github")
    made.delete_secret("a")
    again = encrypted_file.unlock(file, WORDS)
    assert {name: again.get_secret(name) for name in again.names()} == {"github": "value-of-github"}
    assert b"github" not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_each_writing_is_sealed_anew(file):
    made = encrypted_file.create(file, WORDS, {"a": "same"}, COST)
    first = json.loads(file.read_bytes())
    made.set_secret("a", "same")
    second = json.loads(file.read_bytes())
    assert first["nonce"] != second["nonce"]
    assert first["sealed"] != second["sealed"]


def test_a_wrong_passphrase_is_a_sentence(file):
    encrypted_file.create(file, WORDS, {}, COST)
    with pytest.raises(WorkbenchError, match="The passphrase is wrong"):
        encrypted_file.unlock(file, WORDS + "!")


def test_a_short_passphrase_is_refused(file):
    with pytest.raises(WorkbenchError, match="at least 8"):
        encrypted_file.create(file, "short", {}, COST)
    assert not file.exists()


def test_a_changed_file_is_noticed(file):
    encrypted_file.create(file, WORDS, {"a": "value"}, COST)
    whole = json.loads(file.read_bytes())
    text = whole["sealed"]
    whole["sealed"] = ("B" if text[0] == "A" else "A") + text[1:]
    file.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(WorkbenchError, match="changed or damaged"):
        encrypted_file.unlock(file, WORDS)


def test_a_file_that_asks_for_all_memory_is_refused(file):
    encrypted_file.create(file, WORDS, {}, COST)
    whole = json.loads(file.read_bytes()) | {"n": 1 << 40}
    file.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(WorkbenchError, match="its format is not valid"):
        encrypted_file.unlock(file, WORDS)


@run(deadline=None, max_examples=40)
@given(st.binary(max_size=60) | TREES.map(lambda tree: json.dumps(tree).encode()))
def test_rubbish_is_a_sentence(tmp_path, data):
    file = tmp_path / "rubbish"
    file.write_bytes(data)
    with pytest.raises(WorkbenchError):
        encrypted_file.unlock(file, WORDS)


def test_a_file_that_cannot_be_written_is_a_sentence_and_loses_nothing(file):
    made = encrypted_file.create(file, WORDS, {"a": "value"}, COST)
    file.unlink()
    file.mkdir()
    with pytest.raises(WorkbenchError, match="cannot be written"):
        made.set_secret("b", "other")
    assert made.names() == ("a",)
