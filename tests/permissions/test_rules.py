"""The person's rules at work: kept, counted, void with what they were about, never half lost."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.rules import Rules, StoredRules, read_rules, write_rules
from workbench.records import (
    CallDecision,
    Hints,
    Permission,
    Predicate,
    ServerDecision,
    Standing,
    Tool,
    ToolGroup,
    UserAnnotations,
)

MAIL = Tool("mail", "send_email", hash="m")
BOB = {"to": "bob@acme.com"}
TO_ACME = Permission("", "arguments", CallDecision.ALLOW, "mail", "send_email", (Predicate("to", "*@acme.com"),))


class Project:
    """A person's folder, and an entry of `.mcp.json` that may change."""

    def __init__(self, root: Path) -> None:
        self.file = root / "permissions.json"
        self.workspace = root / "project" / "workspace"
        self.workspace.mkdir(parents=True)
        self.entry = "first"

    def rules(self) -> Rules:
        return Rules(self.file, self.workspace, lambda server: self.entry)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_rule_outlives_the_core_with_its_sentence_and_its_count(project: Project) -> None:
    rules = project.rules()
    made = rules.set_rule(TO_ACME, MAIL)
    assert made.key == "m"
    for _ in range(3):
        rules.note_use(rules.rules_for(MAIL).judge(BOB).permission)
    assert rules.view().rules[0].count == 3
    rules.flush()
    kept = project.rules().view().rules[0]
    assert (kept.id, kept.label, kept.count) == (made.id, made.label, 3)
    assert kept.used > 0


def test_a_permission_for_own_calls_is_void_with_another_definition_or_entry_and_no_rule_for_programs(
    project: Project,
) -> None:
    rules = project.rules()
    tool = rules.set_rule(Permission("", "own", CallDecision.ALLOW, "mail", "send_email"), MAIL)
    assert rules.rules_for(MAIL).own_call_permission is not None
    assert rules.rules_for(replace(MAIL, hash="other")).own_call_permission is None
    assert rules.rules_for(replace(MAIL, name="delete_mail")).own_call_permission is None
    assert rules.rules_for(MAIL).judge(BOB).decision is None, "it speaks for no program"
    assert project.rules().rules_for(MAIL).own_call_permission == tool, "it is kept"
    assert rules.view([replace(MAIL, hash="other")]).void == {
        tool.id: "the tool's definition has changed since the rule was made"
    }
    project.entry = "second"
    assert rules.rules_for(MAIL).own_call_permission is None
    rules.keep_for_changed_entry("mail", "first")
    assert rules.rules_for(MAIL).own_call_permission is None, "it was given for exactly the command that it was"
    rules.set_rule(Permission("", "own", CallDecision.ALLOW, "mail"), None)
    assert rules.rules_for(replace(MAIL, name="delete_mail")).own_call_permission is not None
    marked = replace(MAIL, name="delete_mail", said=("sends",), sends=True)
    assert rules.rules_for(marked).own_call_permission is None, "what the user marked asks all the same"
    project.entry = "third"
    assert rules.rules_for(replace(MAIL, name="delete_mail")).own_call_permission is None


def test_marking_a_tool_takes_back_that_own_calls_of_it_never_ask(project: Project) -> None:
    rules = project.rules()
    rules.set_rule(Permission("", "own", CallDecision.ALLOW, "mail", "send_email"), MAIL)
    rules.set_rule(TO_ACME, MAIL)
    rules.set_annotations(MAIL, UserAnnotations(private=True))
    assert rules.rules_for(MAIL).own_call_permission is not None
    rules.set_annotations(MAIL, UserAnnotations(sends=True))
    assert rules.rules_for(MAIL).own_call_permission is None
    assert [one.kind for one in rules.rules] == ["arguments"]


@pytest.mark.parametrize(
    "wrong", [{"word": CallDecision.DENY}, {"scope": "session", "session": "s"}, {"where": (Predicate("to", "bob"),)}]
)
def test_a_permission_for_own_calls_only_allows(project: Project, wrong: dict[str, object]) -> None:
    with pytest.raises(WorkbenchError, match="can only allow"):
        project.rules().set_rule(
            replace(Permission("", "own", CallDecision.ALLOW, "mail", "send_email"), **wrong), MAIL
        )


def test_the_same_rule_with_another_word_takes_its_place(project: Project) -> None:
    rules = project.rules()
    rules.set_rule(TO_ACME, MAIL)
    rules.set_rule(replace(TO_ACME, word=CallDecision.DENY), MAIL)
    assert [one.word for one in rules.rules] == [CallDecision.DENY]


def test_a_rule_for_a_session_is_kept_nowhere(project: Project) -> None:
    rules = project.rules()
    rules.set_rule(Permission("", "tool", CallDecision.ALLOW, "mail", "send_email", scope="session", session="s"), MAIL)
    assert rules.rules_for(MAIL).judge(BOB, "s").decision is CallDecision.ALLOW
    assert rules.rules_for(MAIL).judge(BOB, "t").decision is None
    assert project.rules().rules == ()


def test_trust_is_about_an_entry_and_ends_with_it(project: Project) -> None:
    rules = project.rules()
    reads = Tool("mail", "orders", hints=Hints(read_only=True), hash="h")
    rules.decide_trust("mail", [ToolGroup.READS], [reads])
    rules.set_rule(Permission("", "server", CallDecision.ALLOW, "mail"), None)
    assert rules.trust.trusted == ("mail",)
    assert rules.tool_annotator("mail", "first", builtin=False)(reads).hints.read_only
    project.entry = "second"
    assert (rules.trust.trusted, rules.rules) == ((), ())
    assert rules.tool_annotator("mail", "second", builtin=False)(reads).hints.read_only is None
    rules.keep_for_changed_entry("mail", "first")  # the person changed it themselves
    assert rules.trust.trusted == ("mail",)
    assert len(rules.rules) == 1


def test_a_changed_or_new_tool_is_undecided_and_the_others_stay_decided(project: Project) -> None:
    rules = project.rules()
    tools = [Tool("mail", name, hints=Hints(read_only=True), hash=name) for name in ("orders", "customers")]
    rules.decide_trust("mail", [ToolGroup.READS], tools)
    weigh = project.rules().tool_annotator("mail", "first", builtin=False)
    now = [weigh(one) for one in (tools[0], replace(tools[1], hash="changed"), replace(tools[1], name="new"))]
    assert [one.standing for one in now] == [Standing.RUNS, Standing.UNDECIDED, Standing.UNDECIDED]
    assert rules.view(now).undecided == {"mail": ("customers", "new")}


def test_trust_of_an_earlier_version_counts_as_before_and_is_bound_to_the_definitions(project: Project) -> None:
    write_rules(project.file, StoredRules())
    found = json.loads(project.file.read_text())
    del found["decisions"]
    project.file.write_text(json.dumps(found | {"believed": {"mail": "first"}}))
    rules, tool = project.rules(), Tool("mail", "orders", hints=Hints(read_only=True), hash="h")
    assert rules.tool_annotator("mail", "first", builtin=False)(tool).hints.read_only
    rules.bind_earlier_trust([tool])
    weigh = project.rules().tool_annotator("mail", "first", builtin=False)
    assert (weigh(tool).hints.read_only, weigh(replace(tool, hash="changed")).hints.read_only) == (True, None)


def test_a_withdrawn_decision_is_restored_as_it_was(project: Project) -> None:
    rules, tool = project.rules(), Tool("mail", "orders", hash="h")
    rules.decide_trust("mail", [ToolGroup.CHANGES], [tool])
    before = rules.trust
    rules.withdraw_trust("mail")
    assert not rules.trust.decisions
    rules.restore_trust("mail")
    assert rules.trust == before


def test_another_entry_voids_what_was_allowed_or_softened_and_keeps_what_was_closed(project: Project) -> None:
    rules = project.rules()
    rules.set_rule(TO_ACME, MAIL)
    rules.set_rule(Permission("", "tool", CallDecision.ALLOW, "mail", "send_email", scope="session", session="s"), MAIL)
    rules.set_rule(Permission("", "tool", CallDecision.DENY, "mail", "purge"), Tool("mail", "purge", hash="p"))
    rules.set_rule(Permission("", "server", CallDecision.ASK, "mail"), None)
    rules.set_annotations(MAIL, UserAnnotations(sends=False, private=True))
    assert rules.rules_for(MAIL).judge(BOB, "s").decision is CallDecision.ALLOW
    project.entry = "second"  # the same definitions, from another command
    for now in (rules, project.rules()):
        assert now.rules_for(MAIL).judge(BOB, "s").decision is CallDecision.ASK
        assert now.rules_for(Tool("mail", "purge", hash="p")).judge({}).decision is CallDecision.DENY
        (void,) = {why for one, why in now.view().void.items() if one}
        assert void == "the server's entry has changed since the rule was made"
        weighed = now.tool_annotator("mail", "second", builtin=False)(MAIL)
        assert (weighed.sends, weighed.private) == (True, True), "only what makes it stricter stays"
    assert not rules.rules_for(MAIL).looks_into_arguments
    project.entry = "first"
    assert rules.rules_for(MAIL).judge(BOB).decision is CallDecision.ALLOW


def test_what_is_allowed_of_a_tool_goes_along_when_the_person_changes_the_entry(project: Project) -> None:
    rules = project.rules()
    rules.set_rule(TO_ACME, MAIL)
    rules.set_rule(Permission("", "tool", CallDecision.ALLOW, "mail", "send_email", scope="session", session="s"), MAIL)
    rules.set_annotations(MAIL, UserAnnotations(sends=False))
    project.entry = "second"
    rules.keep_for_changed_entry("mail", "first")
    assert rules.rules_for(MAIL).judge(BOB).decision is CallDecision.ALLOW
    assert rules.rules_for(MAIL).judge({}, "s").decision is CallDecision.ALLOW
    assert project.rules().tool_annotator("mail", "second", builtin=False)(MAIL).sends is False


def test_a_word_about_a_tool_is_kept_and_taken_back(project: Project) -> None:
    rules = project.rules()
    rules.set_annotations(MAIL, UserAnnotations(sends=False))
    assert project.rules().tool_annotator("mail", "", builtin=False)(MAIL).sends is False
    rules.set_annotations(MAIL, UserAnnotations())
    assert project.rules().tool_annotator("mail", "", builtin=False)(MAIL).sends is True


def test_a_damaged_file_asks_for_everything_changes_nothing_and_says_so(project: Project) -> None:
    project.rules().set_rule(replace(TO_ACME, word=CallDecision.DENY), MAIL)
    project.file.write_text(project.file.read_text()[:-5])
    damaged = project.file.read_text()
    rules = project.rules()
    assert rules.rules_for(Tool("any", "get_row")).judge({}).decision is CallDecision.ASK
    assert rules.notices
    for deed in (
        lambda: rules.set_rule(TO_ACME, MAIL),
        lambda: rules.decide_trust("mail", [], []),
        lambda: rules.set_annotations(MAIL, UserAnnotations(sends=False)),
        lambda: rules.revoke("x"),
    ):
        with pytest.raises(WorkbenchError):
            deed()
    rules.flush()
    assert project.file.read_text() == damaged
    rules.replace_damaged_file()
    assert rules.rules_for(Tool("any", "get_row")).judge({}).decision is None
    assert project.file.with_suffix(".damaged").read_text() == damaged


def test_a_rule_about_the_workspace_follows_links(project: Project) -> None:
    rules = project.rules()
    rules.set_rule(replace(TO_ACME, where=(Predicate("path", "under workspace"),)), MAIL)
    (project.workspace / "out").symlink_to("/etc")
    assert rules.rules_for(MAIL).judge({"path": "workspace/a.csv"}).decision is CallDecision.ALLOW
    assert rules.rules_for(MAIL).judge({"path": "workspace/out/passwd"}).decision is None


def test_revoking_ends_a_rule_at_once_and_twice_is_told(project: Project) -> None:
    rules = project.rules()
    made = rules.set_rule(TO_ACME, MAIL)
    rules.revoke(made.id)
    assert rules.rules_for(MAIL).judge(BOB).decision is None
    with pytest.raises(WorkbenchError, match="no longer exists"):
        rules.revoke(made.id)


def test_a_rule_of_wildcards_is_not_kept(project: Project) -> None:
    rules = project.rules()
    with pytest.raises(WorkbenchError, match="would have no effect"):
        rules.set_rule(replace(TO_ACME, where=(Predicate("to", "*"),)), MAIL)
    assert not project.file.exists()


def test_a_rule_counts_although_a_thread_was_judging_a_call_when_it_was_made(project: Project) -> None:
    """The thread is halted where it looks through the rules, and goes on when there is a new one."""
    rules, halted, go_on = project.rules(), threading.Event(), threading.Event()

    class Halting(str):
        def __eq__(self, other: object) -> bool:
            if threading.current_thread() is thread:
                halted.set()
                go_on.wait(60)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    thread = threading.Thread(target=lambda: rules.rules_for(MAIL).judge(BOB, "s", "r"))
    rules.store_rule(
        Permission("any", "tool", CallDecision.ALLOW, Halting("mail"), "other", scope="session", session="s")
    )
    thread.start()
    while thread.is_alive() and not halted.wait(0.01):
        pass
    rules.store_rule(Permission("no", "tool", CallDecision.DENY, "mail", "send_email", scope="session", session="s"))
    assert rules.rules_for(MAIL).judge(BOB, "s", "r").decision is CallDecision.DENY
    go_on.set()
    thread.join()
    assert rules.rules_for(MAIL).judge(BOB, "s", "r").decision is CallDecision.DENY


# the file of rules: whole or lost, private, atomic


FULL = StoredRules(
    (
        Permission(
            "r", "arguments", CallDecision.ALLOW, "mail", "send", (Predicate("to", "*@acme.com"),), "k", label="Rule."
        ),
    ),
    {"mail": ServerDecision("entry", (ToolGroup.READS,), {"send": "k"}, 1.0)},
    {"mail": {"send": UserAnnotations(read_only=False, sends=True, key="k")}},
)


def test_what_is_written_is_read_again_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "state" / "permissions.json"
    write_rules(file, FULL)
    assert read_rules(file) == FULL
    assert file.stat().st_mode & 0o077 == 0
    assert list(file.parent.iterdir()) == [file]


def test_without_a_file_there_are_no_rules(tmp_path: Path) -> None:
    assert read_rules(tmp_path / "none.json") == StoredRules()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), 2),
        (("rules",), None),
        (("rules", 0), {"id": "r", "kind": "tool", "word": "deny"}),
        (("bits", "mail", "send"), {"key": "k"}),
        (("rules", 0, "word"), "perhaps"),
        (("rules", 0, "kind"), "everything"),
        (("rules", 0, "where"), [{"path": "to"}]),
        (("rules", 0, "where"), [{"path": "to", "pattern": 7}]),
        (("rules", 0, "count"), "many"),
        (("rules", 0, "server"), None),
        (("decisions", "mail"), True),
        (("bits", "mail", "send", "sends"), "yes"),
        (("bits", "mail"), []),
    ],
)
def test_a_file_with_one_wrong_part_is_lost_as_a_whole(tmp_path: Path, path: tuple[object, ...], value: object) -> None:
    file = tmp_path / "permissions.json"
    write_rules(file, FULL)
    found = json.loads(file.read_text())
    part = found
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    file.write_text(json.dumps(found))
    assert read_rules(file) == StoredRules(lost=True)


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", "[" * 100_000, '"' + "x" * 10])
def test_what_is_no_file_of_ours_is_lost(tmp_path: Path, text: str) -> None:
    file = tmp_path / "permissions.json"
    file.write_text(text)
    assert read_rules(file).lost
