"""Values of PII tokens outlive a core if the user enables that: encrypted, for the user only, and for a limited
time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.broker.agent_sessions import Session, Sessions
from workbench.broker.vault_persistence import VaultPersistence
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, PrivacyQuery
from workbench.secrets.project_secrets import Secrets
from workbench.secrets.secret_references import KEPT_VALUES
from workbench.servers.configuration.launch_command import is_reserved
from workbench.settings import Settings

MAIL = "rosa.lund@corp.io"
Kept = tuple[Session, str]
WORDS = "four good words here"


def made(tmp_path: Path, days: int = 7, *, opened: bool = True) -> tuple[Sessions, VaultPersistence]:
    """Sessions and persistence of a core that starts in this folder."""
    secrets = Secrets(tmp_path, cost=16)
    if opened:
        secrets.unlock(WORDS)
    sessions = Sessions(lambda: True)
    return sessions, VaultPersistence(tmp_path / "values", secrets, lambda: Settings(privacy_keep_days=days), sessions)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Session, str]:
    """A session of a core that has ended."""
    sessions, keeping = made(tmp_path)
    session = sessions.open("claude-code")
    session.vault.register({"email": MAIL, "phone": 4420794609, "ref": "[EMAIL_1]"}, "crm")
    token = session.mask(MAIL)
    keeping.keep(session)
    session.mask("later: ada@corp.io [EMAIL_1]")
    keeping.keep(session)
    return session, token


def test_a_later_core_looks_behind_its_tokens_and_the_file_shows_nothing(tmp_path: Path, kept: Kept) -> None:
    session, token = kept
    sessions, keeping = made(tmp_path)
    keeping.bring_back()
    past = sessions.past[session.id]
    assert (past.author, past.vault.reveal(token)) == ("claude-code", MAIL)
    assert past.vault.issued() == session.vault.issued()
    assert past.vault.counts_by_kind() == session.vault.counts_by_kind()
    (file,) = (tmp_path / "values").iterdir()
    assert MAIL not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_no_session_of_a_later_core_resolves_them(tmp_path: Path, kept: Kept) -> None:
    sessions, keeping = made(tmp_path)
    keeping.bring_back()
    assert sessions.get(kept[0].id) is None
    assert kept[0] not in sessions.all()
    with pytest.raises(WorkbenchError):
        sessions.open("claude-code").vault.restore_json({"to": kept[1]}, "crm")


@pytest.mark.parametrize(("days", "opened"), [(0, True), (7, False)])
def test_nothing_is_written_unless_it_is_wanted_and_its_key_has_a_place(
    tmp_path: Path, days: int, opened: bool
) -> None:
    sessions, keeping = made(tmp_path, days, opened=opened)
    session = sessions.open("a")
    session.mask(MAIL)
    if days:
        keeping.keep(session)
    assert not (tmp_path / "values").exists()


def test_what_is_old_or_not_wanted_any_more_is_deleted(tmp_path: Path, kept: Kept) -> None:
    (file,) = (tmp_path / "values").iterdir()
    os.utime(file, (time.time() - 8 * 86_400,) * 2)
    sessions, keeping = made(tmp_path)
    keeping.bring_back()
    assert sessions.past == {}
    assert not file.exists()


def test_forgotten_values_are_gone_from_disk_and_new_ones_begin_anew(tmp_path: Path) -> None:
    sessions, keeping = made(tmp_path)
    session = sessions.open("a")
    token = session.mask(MAIL)
    keeping.keep(session)
    session.forget()
    keeping.drop(session.id)
    assert not list((tmp_path / "values").iterdir())
    session.mask("ada@corp.io")
    keeping.keep(session)
    later, reading = made(tmp_path)
    reading.bring_back()
    assert [held.text for _, held in later.past[session.id].vault.issued()] == ["ada@corp.io"]
    assert later.past[session.id].vault.find_pasted(token) is None


@pytest.mark.parametrize(
    "damage", [lambda text: text[:-30], lambda text: text.replace('"key"', '"kee"'), lambda _: "x"]
)
def test_a_damaged_file_is_left_out(tmp_path: Path, kept: Kept, damage) -> None:
    (file,) = (tmp_path / "values").iterdir()
    file.write_text(damage(file.read_text()))
    sessions, keeping = made(tmp_path)
    keeping.bring_back()
    assert sessions.past == {}


def test_no_servers_entry_gets_the_key() -> None:
    assert is_reserved(KEPT_VALUES)
    assert is_reserved(" Privacy:Values")


async def test_a_person_sees_sessions_of_an_earlier_core_and_looks_are_told(paths, monkeypatch) -> None:
    for number in (1, 2):
        core = Core(paths)
        await core.open()
        try:
            core.settings = replace(core.settings, privacy_keep_days=7)
            core.services.vault_persistence._master = b"k" * 32  # a key as a keyring would return it
            if number == 1:
                session = core.services.sessions.open("claude-code")
                token = session.mask(MAIL)
                continue
            told = {one.id: one for one in await core.api.privacy_sessions()}
            assert (told[session.id].author, told[session.id].here) == ("claude-code", False)
            assert (await core.api.privacy_report(PrivacyQuery(session.id))).fitting == 1
            assert (await core.api.reveal(session.id, token)).value == MAIL
            assert core.journal.entries(EntryQuery(kind="privacy.revealed"))
            assert await core.api.forget_values(session.id) == 1
            assert not list(paths.vault_values.iterdir())
        finally:
            await core.close()


def test_a_session_that_was_released_is_brought_back_when_the_user_looks_for_it(tmp_path: Path) -> None:
    sessions, keeping = made(tmp_path)
    session = sessions.open("claude-code")
    session.vault.register({"email": MAIL}, "crm")
    token = session.mask(MAIL)
    keeping.keep(session)
    keeping.bring_back()
    sessions.mark_disconnected(session)
    session.left_at -= 10_000
    assert sessions.release((), ()) == [session]
    keeping.release(session)
    session.release()
    assert sessions.get(session.id) is None
    keeping.bring_back()
    assert sessions.past[session.id].vault.reveal(token) == MAIL
