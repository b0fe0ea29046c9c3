"""The tables of modules, functions, methods, commands and dangerous texts hold together."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from workbench.analysis.tables import dangerous_texts
from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.methods_and_attributes import (
    FILLING,
    FORBIDDEN_WRITES,
    KINDS,
    METHOD_ACTIONS,
    NETWORK_KINDS,
    PATH_KINDS,
    PATH_METHODS,
    SOFT,
    SPECIAL,
    WALKS,
)
from workbench.analysis.tables.modules import ALIASES, HARMLESS, MODULES, OURS, STANDARD
from workbench.analysis.tables.program_actions import WORDS, ProgramAction
from workbench.permissions.word_sets import names
from workbench.records import Risk


def test_no_module_is_harmless_and_a_deed_at_once() -> None:
    assert HARMLESS.isdisjoint(MODULES)
    assert OURS.isdisjoint(MODULES)


def test_modules_that_reach_out_are_known() -> None:
    assert MODULES["smtplib"] is MODULES["http.client"] is ProgramAction.NETWORK
    assert MODULES["ctypes"] is ProgramAction.NATIVE


def test_the_standard_library_is_not_unknown() -> None:
    assert {"json", "os", "asyncio", "statistics"} <= STANDARD


def test_other_names_lead_to_names_that_are_final() -> None:
    assert all(ALIASES.get(target, target) == target for target in ALIASES.values())
    assert "builtins.open" not in CALLABLES  # it has rules of its own


# ── functions that are deeds ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("os.system", ProgramAction.PROCESS),
        ("subprocess.run", ProgramAction.PROCESS),
        ("os.spawnv", ProgramAction.PROCESS),
        ("shutil.rmtree", ProgramAction.DELETE),
        ("requests.post", ProgramAction.NETWORK),
        ("pickle.loads", ProgramAction.UNPACK),
        ("builtins.eval", ProgramAction.CODE),
        ("sys._getframe", ProgramAction.INTERNALS),
    ],
)
def test_well_known_functions_are_known(name: str, deed: ProgramAction) -> None:
    assert CALLABLES[name].action is deed


def test_the_command_of_a_spawn_stands_behind_its_mode() -> None:
    assert CALLABLES["os.spawnv"].subject == 1


def test_compiling_alone_is_less_than_running() -> None:
    assert (CALLABLES["builtins.compile"].risk, CALLABLES["builtins.exec"].risk) == (Risk.MEDIUM, Risk.HIGH)


@pytest.mark.parametrize(
    "module", ["os", "shutil", "subprocess", "socket", "tempfile", "sys", "gc", "inspect", "marshal"]
)
def test_names_of_the_standard_library_are_spelt_right(module: str) -> None:
    gone = {
        "os.startfile",
        "os.chflags",
        "os.lchflags",
        "os.lchmod",
        "os.unshare",
        "os.setns",
        "sys._current_exceptions",
    }
    names = [name for name in CALLABLES if name.startswith(f"{module}.") and name.count(".") == 1]
    real = importlib.import_module(module)
    assert [name for name in names if name not in gone and not hasattr(real, name.split(".")[1])] == []


# ── methods that are deeds ───────────────────────────────────────────────────────────────────────────
def test_every_method_of_a_path_exists() -> None:
    assert [name for name in PATH_METHODS if not hasattr(Path, name)] == []


def test_names_of_strings_and_lists_tell_nothing() -> None:
    assert [name for name in METHOD_ACTIONS if hasattr(str, name) or hasattr(list, name) or hasattr(dict, name)] == []


def test_kinds_worth_remembering_hold_all_that_have_rules() -> None:
    assert PATH_KINDS | NETWORK_KINDS <= KINDS
    assert {"append", "update"} <= FILLING


# ── special attributes ───────────────────────────────────────────────────────────────────────────────
def test_an_attribute_is_soft_or_a_walk_and_not_both() -> None:
    assert WALKS.isdisjoint(SOFT)
    assert SPECIAL == WALKS | SOFT


def test_the_steps_of_known_escapes_are_walks() -> None:
    assert {"__subclasses__", "__globals__", "f_back", "tb_frame", "gi_frame", "__code__"} <= WALKS
    assert "__class__" in FORBIDDEN_WRITES


def test_names_of_honest_classes_are_not_special() -> None:
    assert SPECIAL.isdisjoint({"__init__", "__name__", "__class__", "__doc__", "__repr__", "__len__"})


# ── each kind of effect has words for people ─────────────────────────────────────────────────────────
@pytest.mark.parametrize("deed", list(ProgramAction))
def test_every_deed_is_told_with_and_without_its_subject(deed: ProgramAction) -> None:
    words = WORDS[deed]
    assert words.named.format("SUBJECT")[0].isupper()
    assert "{" not in words.plain
    assert not words.plain.endswith(".")


# ── texts that tell more than their API ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "path", ["/home/a/.ssh/id_rsa", "/etc/shadow", "~/.aws/credentials", "key.pem", "/proc/1/environ", "a/.env"]
)
def test_sensitive_places(path: str) -> None:
    assert dangerous_texts.SENSITIVE_PATH.search(path)


@pytest.mark.parametrize(
    "path", ["workspace/report.csv", "environment.txt", "keys.csv", "profile.json", "passwords_howto.md", "devices"]
)
def test_ordinary_places(path: str) -> None:
    assert not dangerous_texts.SENSITIVE_PATH.search(path)


@pytest.mark.parametrize(
    "command", ["rm -rf /", "sudo ls", "curl http://x | sh", "dd if=/dev/zero of=/dev/sda", ":(){ :|:& };:"]
)
def test_destroying_commands(command: str) -> None:
    assert dangerous_texts.DESTRUCTIVE_COMMAND.search(command)


@pytest.mark.parametrize("command", ["ls -la", "git status", "echo form -r", "npm install"])
def test_ordinary_commands(command: str) -> None:
    assert not dangerous_texts.DESTRUCTIVE_COMMAND.search(command)


@pytest.mark.parametrize(
    "sql", ["DROP TABLE x", "  delete from x", "SELECT 1; UPDATE x SET a=1", "-- a\nINSERT INTO x"]
)
def test_changing_sql(sql: str) -> None:
    assert dangerous_texts.CHANGING_SQL.search(sql)


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM updates", "select 'drop table'", "WITH x AS (SELECT 1) SELECT * FROM x"]
)
def test_reading_sql(sql: str) -> None:
    assert not dangerous_texts.CHANGING_SQL.search(sql)


def test_a_host_is_read_without_its_user() -> None:
    match = dangerous_texts.HOST.match("https://user:secret@example.com:8443/x")
    assert match is not None
    assert match.group(1) == "example.com"


# ── a block of words is a set of names ───────────────────────────────────────────────────────────────
def test_words_are_divided_by_any_space() -> None:
    assert names("a b\n    c") == {"a", "b", "c"}
