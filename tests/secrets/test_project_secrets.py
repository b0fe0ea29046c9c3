"""The secrets of a project, wherever they can be kept; and that each place says what it means."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.secrets.project_secrets import Secrets
from workbench.secrets.secret_masking import MASK

WORDS = "four words " + "are enough"


@pytest.fixture
def room(tmp_path):
    """Opens the secrets of a project; again, as the next core does."""
    return lambda seconds=5.0: Secrets(tmp_path / "project-a", seconds=seconds, cost=16)


def test_with_a_keyring_they_are_there_the_next_time(room, ring):
    first = room()
    assert (first.kind, first.passphrase) == ("keyring", "")
    first.set_secret("github", "value-one")
    assert room().get_secret("github") == "value-one"
    assert room().names() == ("github",)
    with pytest.raises(WorkbenchError, match="No passphrase is needed"):
        first.unlock(WORDS)


def test_without_a_keyring_they_end_with_the_core(room, tmp_path):
    first = room()
    first.set_secret("github", "value-one")
    assert (first.kind, first.passphrase, first.get_secret("github")) == ("memory", "create", "value-one")
    assert "lost when the core ends" in first.sentence
    assert room().get_secret("github") is None
    assert not (tmp_path / "project-a").exists()


def test_a_passphrase_takes_them_from_memory_into_a_file(room):
    first = room()
    first.set_secret("github", "value-one")
    first.unlock(WORDS)
    assert (first.kind, first.get_secret("github")) == ("file", "value-one")
    second = room()
    assert (second.kind, second.passphrase, second.get_secret("github")) == ("locked", "unlock", None)
    second.set_secret("late", "value-two")
    with pytest.raises(WorkbenchError, match="passphrase is wrong"):
        second.unlock("another passphrase")
    second.unlock(WORDS)
    assert (second.names(), second.get_secret("github"), second.get_secret("late")) == (
        ("github", "late"),
        "value-one",
        "value-two",
    )


def test_a_file_moves_into_a_keyring_that_is_there_later(room, ring, tmp_path):
    ring.locked = True
    first = room()
    first.unlock(WORDS)
    first.set_secret("github", "value-one")
    ring.locked = False
    second = room()
    assert (second.kind, second.passphrase) == ("keyring", "unlock")
    second.unlock(WORDS)
    assert second.get_secret("github") == "value-one"
    assert (second.passphrase, (tmp_path / "project-a" / "secrets.sealed").exists()) == ("", False)


def test_a_keyring_that_was_unlocked_meanwhile_takes_what_memory_held(room, ring):
    ring.locked = True
    first = room()
    first.set_secret("github", "value-one")
    first.reopen()
    assert first.kind == "memory"
    ring.locked = False
    first.reopen()
    assert first.kind == "keyring"
    assert room().get_secret("github") == "value-one"


def test_what_was_stored_or_read_is_masked(room, ring):
    room().set_secret("github", "value-one")
    later = room()
    assert later.masks.mask("value-one") == "value-one"
    later.get_secret("github")
    assert later.masks.mask("a value-one b") == f"a {MASK} b"


def test_a_dropped_secret_is_gone_and_still_masked(room):
    first = room()
    first.set_secret("github", "value-one")
    first.delete_secret("github")
    assert (first.get_secret("github"), first.names()) == (None, ())
    assert first.masks.mask("value-one") == MASK


@pytest.mark.parametrize(("name", "value"), [("a}", "value"), ("a", ""), ("a", "x\0y"), ("a", "x" * 70_000)])
def test_what_cannot_be_kept_is_refused(room, name, value):
    with pytest.raises(WorkbenchError):
        room().set_secret(name, value)


def test_nothing_shows_a_value(room):
    first = room()
    first.set_secret("github", "value-one")
    shown = repr((first, vars(first), first.masks, first._store, vars(first._store).keys()))
    assert "value-one" not in shown


def test_names_are_known_before_anything_is_opened(room, ring):
    room().set_secret("github", "value-one")
    ring.locked = True
    later = room()
    assert (later.opened, later.known_names()) == (False, ("github",))
    later.reopen()
    assert (later.opened, later.kind) == (True, "memory")
