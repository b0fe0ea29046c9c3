"""A configuration in the words of other code-execution systems is understood, and never loosens what a person set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench import settings
from workbench.settings import Settings, SettingsReading
from workbench.settings.other_systems import translate_object, translate_table

SEED = {
    "enabled": True,
    "sandboxMode": "docker",
    "securityLevel": "high",
    "maxExecutionTime": 30000,
    "piiTokenization": True,
    "auditLogging": True,
    "resourceLimits": {"memory": "512MB", "cpu": "1 core", "disk": "1GB"},
}
SNAKE = """
sandbox_mode = "vm"
max_execution_time = 1500
pii_tokenization = true
audit_logging = true

[resource_limits]
memory = "256 MB"
cpu = "150%"
disk = "2GB"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project" / "workbench.toml"


@pytest.fixture
def person(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def read(project: Path, person: Path) -> SettingsReading:
    return settings.read(project, person)


def messages(reading: SettingsReading) -> str:
    return "\n".join(notice.message for notice in reading.notices)


def test_snake_case_at_the_top_of_a_project_and_in_a_table_means_our_settings(project: Path, person: Path) -> None:
    project.write_text(SNAKE)
    found = read(project, person)
    assert found.notices == ()
    now = found.settings
    assert (now.run_seconds, now.run_memory_mb, now.run_disk_mb, now.run_cpus) == (2, 256, 2000, 2)
    assert {now.isolation_low, now.isolation_medium, now.isolation_critical} == {"vm"}
    project.write_text(
        '[mcpCodeExecution]\nmaxExecutionTime = 9000\n[mcpCodeExecution.resourceLimits]\nmemory = "1GB"\n'
    )
    assert (read(project, person).settings.run_seconds, read(project, person).settings.run_memory_mb) == (9, 1000)


@pytest.mark.parametrize("file", [".mcp.json", ".claude/settings.json"])
def test_the_object_of_a_json_file_is_read(project: Path, person: Path, file: str) -> None:
    place = project.parent / file
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps({"mcpServers": {}, "mcpCodeExecution": SEED}))
    found = read(project, person)
    assert (found.settings.isolation_low, found.settings.isolation_critical) == ("container", "vm")
    assert found.settings.run_seconds == 30
    assert not found.settings.approval_auto_mild
    assert "isolation.critical less strict" in messages(found)


def test_our_own_words_win_over_them_and_the_person_over_the_project(project: Path, person: Path) -> None:
    project.write_text("max_execution_time = 9000\n[run]\nseconds = 12\n")
    assert read(project, person).settings.run_seconds == 12
    person.write_text("max_execution_time = 20000\n")
    assert read(project, person).settings.run_seconds == 20


def test_a_project_never_loosens_and_says_what_it_may_not(project: Path, person: Path) -> None:
    project.write_text(
        'security_level = "low"\npii_tokenization = false\naudit_logging = false\nsandbox_mode = "process"\n'
    )
    found = read(project, person)
    assert found.settings == Settings()
    told = messages(found)
    assert "privacy.enabled" in told
    assert "approval.auto_medium" in told
    assert "audit_logging = False has no effect: the audit is always written." in told


def test_a_project_tightens_what_a_person_left_loose(project: Path, person: Path) -> None:
    person.write_text("pii_tokenization = false\n[approval]\nauto_medium = true\n")
    assert not read(project, person).settings.privacy_enabled
    project.write_text('pii_tokenization = true\nsecurity_level = "maximum"\n')
    now = read(project, person).settings
    assert (now.privacy_enabled, now.approval_auto_low, now.approval_auto_medium) == (True, False, False)
    assert now.isolation_low == "vm"


def test_a_person_may_loosen_in_these_words_too(project: Path, person: Path) -> None:
    person.write_text('security_level = "low"\nsandbox_mode = "process"\n')
    now = read(project, person).settings
    assert (now.approval_auto_medium, now.isolation_critical) == (True, "process")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sandboxMod": "docker"}, "Did you mean sandbox_mode?"),
        ({"sandboxMode": "chroot"}, "must be one of process, docker"),
        ({"securityLevel": 5}, "must be one of low"),
        ({"maxExecutionTime": "long"}, "must be a number of milliseconds"),
        ({"maxExecutionTime": True}, "must be a number of milliseconds"),
        ({"piiTokenization": "yes"}, "must be true or false"),
        ({"enabled": "no"}, "must be true or false"),
        ({"resourceLimits": 5}, "must contain memory, cpu or disk"),
        ({"resourceLimits": {"gpu": 1}}, "has no setting 'gpu'"),
        ({"resourceLimits": {"memory": "lots"}}, "must be a value such as"),
        ({"resourceLimits": {"cpu": "-1"}}, "must be a value such as"),
        ("nothing", "is not an object"),
        ({"1": 2}, "Its settings are enabled"),
    ],
)
def test_what_cannot_be_said_in_our_words_is_told(given: object, told: str) -> None:
    words = translate_object(given)
    assert told in " ".join(" ".join(notice) for notice in words.notices)


def test_a_table_that_is_none_is_told() -> None:
    table = {"mcpCodeExecution": 3, "run": {"seconds": 5}}
    assert translate_table(table).notices == [
        ("mcpCodeExecution is not a table.", "Write it as [mcpCodeExecution], with its keys below.")
    ]
    assert table == {"run": {"seconds": 5}}


def test_a_limit_that_we_do_not_take_keeps_the_default(project: Path, person: Path) -> None:
    project.write_text('[resource_limits]\nmemory = "1MB"\n')
    found = read(project, person)
    assert found.settings.run_memory_mb == Settings().run_memory_mb
    assert "from 32 to" in messages(found)


@pytest.mark.parametrize("level", ["low", "high", "maximum"])
def test_enabled_false_wins_over_every_other_word_and_file(project: Path, person: Path, level: str) -> None:
    off = {"securityLevel": level, "enabled": False, "sandboxMode": "process"}
    assert translate_object(off).values["run.enabled"] is False
    (project.parent / ".mcp.json").write_text(json.dumps({"mcpServers": {}, "mcpCodeExecution": off}))
    project.write_text("security_level = 'low'\n[mcpCodeExecution]\nenabled = true\n")
    person.write_text("security_level = 'low'\n[run]\nenabled = true\n[approval]\nauto_low = true\n")
    assert not read(project, person).settings.run_enabled


def test_enabled_false_in_the_users_own_file_counts_too(project: Path, person: Path) -> None:
    person.write_text("[mcpCodeExecution]\nenabled = false\nsecurity_level = 'low'\n[run]\nenabled = true\n")
    assert not read(project, person).settings.run_enabled
    person.write_text("[run]\nenabled = false\n")
    project.write_text("[mcpCodeExecution]\nenabled = true\n")
    assert not read(project, person).settings.run_enabled
