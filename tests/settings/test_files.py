"""Settings: two files, a wrong value never locks anybody out, and what guards the person is the person's alone."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from workbench import settings
from workbench.errors import WorkbenchError
from workbench.records import SettingSource, SettingValue
from workbench.settings import DEFINITIONS, Settings


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "workbench.toml"


@pytest.fixture
def person(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_without_files_the_defaults_hold_and_nothing_is_said(project: Path, person: Path) -> None:
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    assert reading.notices == ()


def test_the_persons_file_wins_over_the_projects(project: Path, person: Path) -> None:
    _write(project, "[run]\nseconds = 60\nmemory_mb = 256\n")
    _write(person, "[run]\nseconds = 90\n")
    found = settings.read(project, person).settings
    assert (found.run_seconds, found.run_memory_mb) == (90, 256)


def test_a_project_cannot_loosen_what_guards_the_person(project: Path, person: Path) -> None:
    _write(project, "[approval]\nauto_medium = true\n[privacy]\nenabled = false\n")
    reading = settings.read(project, person)
    assert not reading.settings.approval_auto_medium
    assert reading.settings.privacy_enabled
    assert [notice.message for notice in reading.notices] == [
        "workbench.toml: approval.auto_medium is ignored.",
        "workbench.toml: privacy.enabled is ignored.",
    ]


def test_a_person_may_set_what_guards_them(project: Path, person: Path) -> None:
    _write(person, "[approval]\nauto_low = false\n")
    assert not settings.read(project, person).settings.approval_auto_low


@pytest.mark.parametrize("text", ["[run]\nseconds = '60'\n", "[run]\nseconds = true\n", "run = 5\n", "[run.seconds]\n"])
def test_a_wrong_value_keeps_its_default_and_is_told(project: Path, person: Path, text: str) -> None:
    _write(person, text)
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    assert len(reading.notices) == 1
    assert reading.notices[0].hint


def test_an_unknown_setting_is_told_by_name(project: Path, person: Path) -> None:
    _write(project, "[run]\nsecond = 60\n")
    assert settings.read(project, person).notices[0].message == "workbench.toml: There is no setting run.second."


@pytest.mark.parametrize("content", [b"[run\n", b"\xff\xfe", b"a = 1\na = 2\n", b"a = " + b"1" * 5_000])
def test_a_file_that_cannot_be_read_becomes_a_notice(project: Path, person: Path, content: bytes) -> None:
    project.write_bytes(content)
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    assert reading.notices[0].message.startswith("workbench.toml cannot be read")


def test_a_syntax_fault_is_told_with_its_line(project: Path, person: Path) -> None:
    _write(project, "[run]\nseconds = = 3\n")
    assert "line 2" in settings.read(project, person).notices[0].message


def test_a_changed_setting_is_written_and_read_back(project: Path, person: Path) -> None:
    settings.write(person, "window.theme", "dark")
    settings.write(person, "run.seconds", 45)
    found = settings.read(project, person).settings
    assert (found.window_theme, found.run_seconds) == ("dark", 45)
    assert os.listdir(person.parent) == ["settings.toml"]


def test_writing_keeps_what_else_stands_in_the_file(project: Path, person: Path) -> None:
    _write(person, "[later]\nunknown = 'kept'\n[window]\nfont_size = 12\n")
    settings.write(person, "window.theme", "light")
    assert "kept" in person.read_text(encoding="utf-8")
    assert settings.read(project, person).settings.window_font_size == 12


@pytest.mark.parametrize("text", ["[run\n", "window = 'dark'\n"])
def test_a_broken_file_is_not_written_over(person: Path, text: str) -> None:
    _write(person, text)
    with pytest.raises(WorkbenchError, match=r"settings\.toml cannot be changed"):
        settings.write(person, "window.theme", "dark")
    assert person.read_text(encoding="utf-8") == text


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(WorkbenchError, match=r"settings\.toml cannot be written"):
        settings.write(tmp_path / "config" / "settings.toml", "window.theme", "dark")


def test_changing_refuses_unknown_names_and_wrong_types() -> None:
    with pytest.raises(WorkbenchError, match="no setting run"):
        settings.change(Settings(), "run.colour", 1)
    with pytest.raises(WorkbenchError, match="must be of type int"):
        settings.change(Settings(), "run.seconds", "soon")
    assert settings.change(Settings(), "run.seconds", 5).run_seconds == 5


@pytest.mark.parametrize(
    ("name", "value"),
    [("run.concurrent", 0), ("run.seconds", -1), ("run.memory_mb", 1), ("window.theme", "pink"), ("run.pids", 10**6)],
)
def test_a_value_that_would_do_nothing_or_stop_everything_is_refused(
    project: Path, person: Path, name: str, value: object
) -> None:
    with pytest.raises(WorkbenchError, match=rf"{name} must be "):
        settings.change(Settings(), name, value)
    group, key = name.split(".")
    _write(person, f"[{group}]\n{key} = {value!r}\n")
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    assert name in reading.notices[0].message


def test_every_default_is_within_its_own_bounds() -> None:
    for name, definition in DEFINITIONS.items():
        assert settings.change(Settings(), name, definition.default) == Settings()


def test_every_setting_has_a_dotted_name_and_a_sentence() -> None:
    assert len(DEFINITIONS) == len(Settings.__struct_fields__)
    for name, definition in DEFINITIONS.items():
        assert name.count(".") == 1
        assert type(definition.default).__name__ == definition.type
        assert definition.description.endswith(".")


@pytest.mark.parametrize("text", ["a=" + "[" * 100_000, "a = 'x"])
def test_a_file_that_cannot_be_read_leaves_the_defaults(project: Path, person: Path, text: str) -> None:
    project.write_text(text, encoding="utf-8")
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    assert "workbench.toml cannot be read" in reading.notices[0].message


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(project: Path, person: Path) -> None:
    os.mkfifo(project)
    assert "not a regular file" in settings.read(project, person).notices[0].message


def test_the_places_programs_may_reach_are_read_elsewhere(project: Path, person: Path) -> None:
    _write(project, '[[network.allow]]\ndomain = "example.org"\n[network.nonsense]\n')
    _write(person, "[network]\ndeny = []\nper_minute = 7\n")
    reading = settings.read(project, person)
    assert reading.settings.network_per_minute == 7
    assert [notice.message for notice in reading.notices] == ["workbench.toml: There is no setting network.nonsense."]


def test_what_a_project_seals_counts_beside_what_the_person_seals(project: Path, person: Path) -> None:
    _write(project, '[privacy]\nsealed = "crm.list_customers:email"\n')
    assert settings.read(project, person).settings.privacy_sealed == "crm.list_customers:email"
    _write(person, '[privacy]\nsealed = "mail"\n')
    assert settings.read(project, person).settings.privacy_sealed == "crm.list_customers:email mail"
    _write(person, '[privacy]\nsealed = ""\n')
    assert settings.read(project, person).settings.privacy_sealed == "crm.list_customers:email", "nothing opens"


def test_a_project_raises_limits_only_as_far_as_the_user_lets_it_and_is_told(project: Path, person: Path) -> None:
    _write(project, "[run]\nmemory_mb = 4000\noutput_bytes = 400000000\nseconds = 45\n")
    reading = settings.read(project, person)
    found = reading.settings
    assert (found.run_memory_mb, found.run_output_bytes, found.run_seconds) == (1024, 2_000_000, 45)
    (notice,) = reading.notices
    assert notice.message == (
        "workbench.toml raises limits further than a project may: run.memory_mb is 1024, not 4000,"
        " run.output_bytes is 2000000, not 400000000."
    )
    assert notice.hint == "To allow more, set run.memory_mb or run.project_limit_factor in your own settings."


def test_the_user_says_how_far_a_project_may_raise_limits(project: Path, person: Path) -> None:
    _write(project, "[run]\nmemory_mb = 4000\nproject_limit_factor = 1000\n")
    _write(person, "[run]\nproject_limit_factor = 8\n")
    reading = settings.read(project, person)
    assert reading.settings.run_memory_mb == 4000
    assert [notice.message for notice in reading.notices] == ["workbench.toml: run.project_limit_factor is ignored."]
    _write(person, "[run]\nproject_limit_factor = 1\n")
    assert settings.read(project, person).settings.run_memory_mb == 512


def test_what_the_user_sets_counts_whatever_a_project_wants(project: Path, person: Path) -> None:
    _write(project, "[run]\nmemory_mb = 4000\n")
    _write(person, "[run]\nmemory_mb = 8000\n")
    reading = settings.read(project, person)
    assert (reading.settings.run_memory_mb, reading.notices) == (8000, ())


def test_words_of_other_systems_raise_no_limit_either(project: Path, person: Path) -> None:
    _write(project.parent / ".mcp.json", '{"mcpCodeExecution": {"resource_limits": {"memory": "64GB"}}}')
    reading = settings.read(project, person)
    assert reading.settings.run_memory_mb == 1024
    assert ".mcp.json raises limits" in reading.notices[0].message


@pytest.mark.parametrize("name", [definition.field for definition in DEFINITIONS.values() if definition.limit])
def test_no_limit_can_be_lifted_by_a_project(project: Path, person: Path, name: str) -> None:
    group, key = name.split("_", 1)
    default = getattr(Settings(), name)
    most = DEFINITIONS[f"{group}.{key}"].maximum
    _write(project, f"[{group}]\n{key} = {min(1_000_000, most)}\n")
    assert getattr(settings.read(project, person).settings, name) <= 2 * default
    _write(project, f"[{group}]\n{key} = {default - 1}\n")
    assert getattr(settings.read(project, person).settings, name) in (default - 1, default)


def test_a_key_of_fifty_thousand_parts_is_refused_before_it_is_read(project: Path, person: Path) -> None:
    _write(project, f"{'.'.join('a' * 50_000)} = 1\n")
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    (notice,) = reading.notices
    assert notice.message == "workbench.toml cannot be read: a key has more than 16 parts."


OLD_TEXT = "[ask]\nalone = 'wait'\n[state]\nidle_minutes = 3\nmost = 2\n[approval]\npin_days = 7\n"


def test_old_names_are_read_and_named_in_one_notice(project: Path, person: Path) -> None:
    _write(person, OLD_TEXT)
    _write(project, "[ask]\nwait_seconds = 5\n")
    reading = settings.read(project, person)
    found = reading.settings
    assert (found.elicitation_without_window, found.elicitation_wait_seconds) == ("wait", 5)
    assert (found.repl_idle_minutes, found.repl_max_sessions, found.approval_rule_days) == (3, 2, 7)
    of_project, of_user = reading.notices
    assert of_project.message == "workbench.toml: ask.wait_seconds is now elicitation.wait_seconds."
    assert "state.most is now repl.max_sessions" in of_user.message
    assert "next change of a setting" in of_user.hint


def test_old_names_keep_their_protection_and_bounds(project: Path, person: Path) -> None:
    _write(project, "[approval]\npin_days = 300\n[run]\nproject_times = 900\n[ask]\nalone = 'never'\n")
    reading = settings.read(project, person)
    assert reading.settings == Settings()
    assert [notice.message for notice in reading.notices][1:] == [
        "workbench.toml: approval.rule_days is ignored.",
        "workbench.toml: run.project_limit_factor is ignored.",
        "workbench.toml: elicitation.without_window must be one of refuse, wait, not 'never'.",
    ]


def test_a_new_name_has_priority_over_the_old_one(project: Path, person: Path) -> None:
    for text in (
        "[ask]\nalone='refuse'\n[elicitation]\nwithout_window='wait'\n",
        "[elicitation]\nwithout_window='wait'\n[ask]\nalone='refuse'\n",
    ):
        _write(person, text)
        assert settings.read(project, person).settings.elicitation_without_window == "wait"


def test_writing_replaces_old_names_and_keeps_comments_and_order(project: Path, person: Path) -> None:
    _write(person, "# mine\n[window]\nfont_size = 12 # large\n\n" + OLD_TEXT)
    before = settings.read(project, person).settings
    settings.write(person, "state.most", 4)
    text = person.read_text(encoding="utf-8")
    assert text.startswith("# mine\n[window]\nfont_size = 12 # large\n")
    assert not [old for old in ("[ask]", "[state]", "pin_days") if old in text]
    reading = settings.read(project, person)
    assert reading.notices == ()
    assert reading.settings == settings.change(before, "repl.max_sessions", 4)


@pytest.mark.parametrize(
    "text",
    [
        "ask.alone = 'wait'\nwindow = {theme = 'light'}\n",
        "[profiles.a]\nbase = 'read_only'\n[window]\ntheme = 'light'\n[profiles.b]\nbase = 'read_only'\n"
        "[ask]\nalone = 'wait'\n",
        "[window.deep]\na = 1\n[ask]\nalone = 'wait'\n[window]\ntheme = 'light'\n",
        "[[network.allow]]\ndomain = 'a.example'\n[ask]\nalone = 'wait'\n[[network.allow]]\ndomain = 'b.example'\n",
    ],
)
def test_writing_changes_nothing_else_in_any_layout(project: Path, person: Path, text: str) -> None:
    _write(person, text)
    expected = tomllib.loads(text)
    del expected["ask"]
    expected["elicitation"] = {"without_window": "wait"}
    expected.setdefault("window", {})["theme"] = "dark"
    settings.write(person, "window.theme", "dark")
    assert tomllib.loads(person.read_text(encoding="utf-8")) == expected


def test_changing_accepts_old_names(project: Path) -> None:
    assert settings.change(Settings(), "ask.alone", "wait").elicitation_without_window == "wait"


def test_a_removed_setting_leaves_comments_and_other_values(project: Path, person: Path) -> None:
    _write(person, "# mine\n[run]\nseconds = 90  # long\nmemory_mb = 256\n[window]\ntheme = 'dark'\n")
    settings.remove(person, "window.theme")
    settings.remove(person, "run.seconds")
    settings.remove(person, "run.seconds")
    assert person.read_text("utf-8").split() == ["#", "mine", "[run]", "memory_mb", "=", "256"]


def test_a_setting_is_removed_by_its_old_name_too(person: Path) -> None:
    _write(person, "[state]\nmost = 3\n")
    settings.remove(person, "repl.max_sessions")
    assert person.read_text("utf-8").strip() == ""


def _explained(project: Path, person: Path) -> dict[str, SettingValue]:
    current = settings.read(project, person).settings
    return {value.name: value for value in settings.explain(project, person, current)}


def test_each_value_says_where_it_comes_from(project: Path, person: Path) -> None:
    _write(project, "[run]\nseconds = 600\nmemory_mb = 256\n[cache]\ntools = 'docs'\n[approval]\nauto_low = false\n")
    _write(person, "[run]\nmemory_mb = 300\n[cache]\ntools = 'crm'\n[window]\ntheme = 'pink'\n")
    (project.parent / ".mcp.json").write_text('{"mcpCodeExecution": {"maxMemory": "200m"}}', "utf-8")
    found = _explained(project, person)
    assert found["run.calls"] == SettingValue("run.calls", 10_000)
    seconds = found["run.seconds"]
    assert (seconds.value, seconds.source, seconds.project, seconds.user) == (60, SettingSource.PROJECT, 600, None)
    assert "run.seconds is 60, not 600" in seconds.notice
    memory = found["run.memory_mb"]
    assert (memory.value, memory.source, memory.file) == (300, SettingSource.USER, "settings.toml")
    assert (memory.project, memory.notice) == (256, "")
    assert (found["cache.tools"].value, found["cache.tools"].source) == ("docs crm", SettingSource.BOTH)
    theme = found["window.theme"]
    assert (theme.value, theme.source, theme.user) == ("system", SettingSource.DEFAULT, "pink")
    assert "window.theme must be one of" in theme.notice
    auto = found["approval.auto_low"]
    assert (auto.value, auto.source) == (True, SettingSource.DEFAULT)
    assert "approval.auto_low is ignored" in auto.notice


def test_the_signature_changes_with_each_file(project: Path, person: Path) -> None:
    seen = {settings.files_signature(project, person)}
    for path in (project, person, project.parent / ".mcp.json"):
        _write(path, "")
        seen.add(settings.files_signature(project, person))
    assert len(seen) == 4


def test_the_earlier_setting_recall_first_is_read_as_strictness(tmp_path: Path) -> None:
    own = tmp_path / "settings.toml"
    own.write_text("[privacy]\nrecall_first = true\n", "utf-8")
    reading = settings.read(tmp_path / "workbench.toml", own)
    assert reading.settings.privacy_strictness == "recall"
    assert "privacy.recall_first is now privacy.strictness" in reading.notices[0].message
