"""A consent is for one command, private, and survives a restart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, ServerStatus
from workbench.servers.configuration.launch_command import demo_config
from workbench.servers.configuration.launch_consents import CommandFile, LaunchConsents

CONFIG = ServerConfig("one", "run", ("x",))


def test_a_consent_is_kept_for_this_command_alone(tmp_path: Path) -> None:
    LaunchConsents(tmp_path / "allowed.json").give(CONFIG)
    later = LaunchConsents(tmp_path / "allowed.json")
    assert not later.allows(CONFIG)
    later.read()
    assert later.allows(CONFIG)
    assert not later.allows(replace(CONFIG, args=("y",)))


def test_the_demo_server_needs_none(tmp_path: Path) -> None:
    assert LaunchConsents(tmp_path / "allowed.json").allows(demo_config())
    assert not LaunchConsents(tmp_path / "allowed.json").allows(replace(demo_config(), builtin=False))


@pytest.mark.parametrize("content", ["", "[]", '"yes"', "7"])
def test_a_damaged_file_allows_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "allowed.json").write_text(content)
    consents = LaunchConsents(tmp_path / "allowed.json")
    consents.read()
    assert not consents.allows(CONFIG)


def test_a_consent_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    consents = LaunchConsents(tmp_path / "file" / "allowed.json")
    with pytest.raises(WorkbenchError, match="consents cannot be written"):
        consents.give(CONFIG)
    assert not consents.allows(CONFIG)


def test_the_files_of_the_first_start_are_remembered_and_others_ask_again(tmp_path: Path) -> None:
    before, after = CommandFile("run", "/bin/run", 1, 1, "a"), CommandFile("run", "/bin/run", 1, 2, "b")
    consents = LaunchConsents(tmp_path / "allowed.json")
    consents.give(CONFIG)
    assert consents.vouch(CONFIG, (before,)) == ""
    later = LaunchConsents(tmp_path / "allowed.json")
    later.read()
    assert "changed" in later.vouch(CONFIG, (after,))
    later.give(CONFIG)
    assert later.vouch(CONFIG, (after,)) == ""
    assert later.known(CONFIG) == {"run": after}


def test_a_consent_from_before_files_counted_stays(tmp_path: Path) -> None:
    consents = LaunchConsents(tmp_path / "allowed.json")
    consents.give(CONFIG)
    assert consents.known(CONFIG) == {}
    assert consents.vouch(CONFIG, (CommandFile("run", "/bin/run", 1, 1, "a"),)) == ""
    assert consents.allows(CONFIG)


async def test_a_changed_script_is_not_started_before_a_person_looked(house, tmp_path: Path) -> None:
    script = tmp_path / "project" / "serve.py"
    script.write_text(Path(house.faulty("echo").args[1]).read_text(encoding="utf-8"), encoding="utf-8")
    home = await house(ServerConfig("own", sys.executable, ("-S", "serve.py", "echo", "0")))
    await home.catalog.connect("own")
    await home.catalog.disconnect("own")
    assert (await home.call("own", "echo", text="hi")).ok
    await home.catalog.disconnect("own")
    script.write_text(f"{script.read_text(encoding='utf-8')}\n# another\n", encoding="utf-8")
    assert "serve.py has changed" in (await home.call("own", "echo", text="hi")).fault.message
    state = home.catalog.server("own").state
    assert (state.allowed, state.status) == (False, ServerStatus.FAILED)
    assert "serve.py has changed" in state.doubt
    assert (await home.catalog.connect("own")).doubt == ""
    assert (await home.call("own", "echo", text="hi")).ok


def test_an_entry_that_takes_the_place_of_another_inherits_the_files_that_were_allowed(tmp_path: Path) -> None:
    """Moving secrets or choosing folders is no consent to a script that was changed meanwhile."""
    consents = LaunchConsents(tmp_path / "allowed.json")
    consents.give(CONFIG)
    consents.vouch(CONFIG, (CommandFile("run", "/bin/run", 1, 1, "aa"),))
    after = replace(CONFIG, roots=("/home",))
    consents.give(after, CONFIG)
    assert "has changed since" in consents.vouch(after, (CommandFile("run", "/bin/run", 2, 2, "bb"),))
