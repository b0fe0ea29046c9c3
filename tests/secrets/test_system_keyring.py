"""The keyring is used where it is one, and refused where it keeps secrets in plain text."""

from __future__ import annotations

import keyring
import pytest
from keyring.backends.null import Keyring as NullRing

from workbench.errors import WorkbenchError
from workbench.secrets.system_keyring import SERVICE, Patience, find_keyring


@pytest.fixture
def find(tmp_path):
    return lambda project="project-a", seconds=5.0: find_keyring(
        project, tmp_path / project / "names.json", Patience(seconds)
    )


def test_what_is_put_is_there_under_the_service_of_the_app_and_the_name_of_the_project(find, ring):
    found, why = find()
    assert why == ""
    found.set_secret("github", "value-one")
    assert found.get_secret("github") == "value-one"
    assert ring.held == {(SERVICE, "project-a/github"): "value-one"}
    assert found.names() == ("github",)
    found.delete_secret("github")
    assert (found.get_secret("github"), found.names()) == (None, ())
    found.delete_secret("github")


def test_another_project_does_not_get_at_it(find, ring):
    find("project-a")[0].set_secret("github", "value-one")
    assert find("project-b")[0].get_secret("github") is None


def test_names_come_back_when_their_file_was_lost(find, ring, tmp_path):
    find()[0].set_secret("github", "value-one")
    (tmp_path / "project-a" / "names.json").write_text("[[[[", encoding="utf-8")
    found, _ = find()
    assert found.names() == ()
    assert found.get_secret("github") == "value-one"
    assert found.names() == ("github",)
    assert (tmp_path / "project-a" / "names.json").stat().st_mode & 0o777 == 0o600


def test_a_session_without_keyring_says_so(find):
    assert find() == (None, "this session has no keyring")


def test_a_keyring_that_forgets_is_none(find, ring):
    keyring.set_keyring(NullRing())
    assert find() == (None, "this session has no keyring")


def test_a_keyring_of_plain_text_is_refused(find, ring):
    plain = type("PlaintextKeyring", (type(ring),), {})
    keyring.set_keyring(plain())
    found, why = find()
    assert found is None
    assert "plain text" in why


def test_a_locked_keyring_is_none_and_says_why(find, ring):
    ring.locked = True
    assert find() == (None, "the keyring refused: Failed to unlock the collection")


def test_a_keyring_that_hangs_is_none_and_says_why(find, ring):
    ring.go.clear()
    found, why = find(seconds=0.05)
    assert (found, why) == (None, "the keyring does not answer")
    ring.go.set()


def test_a_keyring_that_is_locked_later_is_a_sentence(find, ring):
    found, _ = find()
    ring.locked = True
    with pytest.raises(WorkbenchError, match="Unlock it"):
        found.get_secret("github")


def test_a_keyring_that_keeps_nothing_is_noticed(find, ring, monkeypatch):
    found, _ = find()
    monkeypatch.setattr(ring, "set_password", lambda *words: None)
    with pytest.raises(WorkbenchError, match="did not keep"):
        found.set_secret("github", "value-one")
