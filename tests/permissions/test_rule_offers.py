"""A rule derived from a call allows that call, and no call with arguments outside its sentence."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.permissions.argument_patterns import holds, touches
from workbench.permissions.call_rules import REST, KnownArguments, ToolRules
from workbench.permissions.rule_offers import offers, proposals
from workbench.permissions.rule_sentences import sentence
from workbench.records import CallDecision, Hints, JsonValue, Permission, Predicate, Tool

MAIL = Tool("mail", "send_email", hints=Hints(read_only=False, destructive=False, open_world=True), hash="m")
FILES = Tool("fs", "write_file", hints=Hints(read_only=False, destructive=True), hash="f")
SQL = Tool("db", "execute", hints=Hints(), hash="s")
ISSUES = Tool("hub", "create_issue", hints=Hints(read_only=False, destructive=False, open_world=True), hash="i")


def offered(tool: Tool, arguments: dict[str, JsonValue], workspace: str = "") -> dict[str, tuple[Predicate, ...]]:
    return {one.kind: one.where for one in offers(tool, arguments, workspace=workspace)}


def allowed(tool: Tool, where: tuple[Predicate, ...], arguments: Mapping[str, JsonValue], workspace: str = "") -> bool:
    rule = Permission("r", "arguments", CallDecision.ALLOW, tool.server, tool.name, where, tool.hash)
    return ToolRules(tool, (rule,), workspace=workspace).judge(dict(arguments)).decision is CallDecision.ALLOW


def test_a_recipient_and_its_domain() -> None:
    found = offered(MAIL, {"to": "bob@acme.example", "subject": "s"})
    assert list(found) == ["exact", "group"]
    assert allowed(MAIL, found["group"], {"to": "Ann@ACME.example", "subject": "other"})
    for to in (
        *("eve@evil.example", "bob@acme.example.evil.example", "bob@acme.example, eve@evil.example"),
        *(
            "eve@evil.example;bob@acme.example",
            "eve@evil.example <bob@acme.example>",
            "bob@acme.example\neve@evil.example",
        ),
        *("bob@sub.acme.example", "eve@evil.example\u0000@acme.example", "eve＠evil.example,bob@acme.example", ""),
    ):
        for kind in found:
            assert not allowed(MAIL, found[kind], {"to": to}), (kind, to)
    for more in (
        {"bcc": "eve@evil.example"},
        {"options": {"cc": ["eve@evil.example"]}},
        {"recipients": ["x@y.example"]},
    ):
        assert not allowed(MAIL, found["exact"], {"to": "bob@acme.example", **more})
    assert not allowed(MAIL, found["exact"], {"to": ["bob@acme.example", "eve@evil.example"]})
    assert not allowed(MAIL, found["exact"], {"to": {"address": "bob@acme.example"}})
    assert not allowed(MAIL, found["exact"], {"subject": "no recipient"})


def test_no_rule_covers_a_whole_provider_where_anybody_can_have_an_address() -> None:
    assert list(offered(MAIL, {"to": "bob@GMail.com"})) == ["exact"]
    assert offers(MAIL, {"to": ["bob@gmail.com", "ann@gmail.com"]}) == ()
    page = Tool("web", "post_page", hints=Hints(read_only=False, open_world=True), hash="w")
    assert list(offered(page, {"url": "https://api.github.com/repos/acme/site"})) == ["exact"]


def test_a_folder_on_this_machine_and_links_out_of_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "docs" / "a", tmp_path / "secret"
    inside.mkdir(parents=True)
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    found = offered(FILES, {"path": f"{inside}/x.md", "content": "x"}, str(tmp_path / "workspace"))
    (one,) = found["group"]
    assert one.pattern == f"below {inside}"
    for good in (f"{inside}/y.md", f"{inside}/deep/er/z.md", f"{inside}//y.md", f"{inside}/./y.md"):
        assert allowed(FILES, found["group"], {"path": good}, str(tmp_path / "workspace")), good
    for bad in (
        *(f"{inside}/../b", f"{inside}/link/x", f"{inside}", f"{inside}x/y", f"{tmp_path}/docs/b", "x.md", "~/x"),
        *(f"{inside}/%2e%2e/x", f"{inside}/$HOME/x", f"{inside}\\..\\x", f"file://{inside}/x", f"{inside}/a\nb"),
        *(
            f"{inside}/．．/x",
            f"{inside}/.git/hooks/x",
            f"{inside}/b/.vscode/x",
            f"/{inside}/x",
            f"{inside.parent}/A/x",
            "",
        ),
    ):
        assert not allowed(FILES, found["group"], {"path": bad}, str(tmp_path / "workspace")), bad
    deny = (Predicate("path", f"below {inside}"),)
    for caught in (f"{inside}/../a/x", f"{inside.parent}/A/x", f"{inside}"):
        assert touches(deny, {"path": caught}, str(tmp_path / "workspace"), os.path.realpath), caught


def test_a_host_a_repository_and_reading_sql() -> None:
    page = Tool("web", "post_page", hints=Hints(read_only=False, open_world=True), hash="w")
    found = offered(page, {"url": "https://api.example.org/v1/items?id=1", "body": "x"})
    assert [one.pattern for one in found["group"]] == ["https://api.example.org/*"]
    assert allowed(page, found["group"], {"url": "https://api.example.org/v2"})
    for url in (
        "https://api.example.org.evil.example/",
        "https://api.example.org@evil.example/",
        "http://api.example.org/x",
    ):
        assert not allowed(page, found["group"], {"url": url}), url
    place = offered(ISSUES, {"owner": "acme", "repo": "site", "title": "Bug", "body": "x"})
    assert {one.path for one in place["exact"]} == {"owner", "repo"}
    assert not allowed(ISSUES, place["exact"], {"owner": "acme", "repo": "other", "title": "Bug"})
    reading = offered(SQL, {"sql": "SELECT * FROM orders"})
    assert reading["reads"] == (Predicate("sql", "SQL that only reads"),)
    assert allowed(SQL, reading["reads"], {"sql": "SELECT count(*) FROM customers"})
    for bad in ("DROP TABLE orders", "SELECT 1; DELETE FROM orders", "SELECT 1 INTO x", ["DROP TABLE x"], None):
        assert not allowed(SQL, reading["reads"], {"sql": bad}), bad  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("name", "arguments", "other"),
    [
        ("exec_in_pod", {"name": "a", "namespace": "b", "command": ["ls"]}, {"command": ["rm", "-rf", "/"]}),
        ("run_code", {"session_id": "s", "code": "print(1)"}, {"code": "evil()"}),
        ("execute_sql", {"project_id": "p", "query": "update t set a = 1 where b = 2"}, {"query": "drop table t"}),
        ("kubectl_delete", {"resourceType": "pod", "name": "a", "namespace": "b"}, {"resourceType": "namespace"}),
        ("create_transfer", {"account_id": "a", "iban": "DE1", "amount": 10}, {"amount": 10_000}),
        ("share_document", {"document_id": "d", "email": "a@acme.example", "role": "reader"}, {"role": "owner"}),
    ],
)
def test_no_rule_leaves_open_what_the_call_does(
    name: str, arguments: dict[str, JsonValue], other: dict[str, JsonValue]
) -> None:
    tool = Tool("s", name, hints=Hints(), hash="x")
    found = [one for one in offers(tool, arguments) if one.where]
    assert found
    for one in found:
        assert allowed(tool, one.where, arguments)
        assert not allowed(tool, one.where, arguments | other), one


@pytest.mark.parametrize(
    ("name", "arguments", "more"),
    [
        ("kubectl_delete", {"resourceType": "pod", "name": "a", "namespace": "b"}, {"force": True}),
        ("kubectl_delete", {"resourceType": "pod", "name": "a", "namespace": "b"}, {"gracePeriodSeconds": 0}),
        ("share_document", {"document_id": "d", "email": "a@acme.example"}, {"notify": "all"}),
        ("share_document", {"document_id": "d", "email": "a@acme.example"}, {"document_id": "other"}),
        ("send_email", {"to": "a@acme.example", "subject": "s", "body": "b"}, {"attachments": ["/home/me/.ssh/id"]}),
        ("send_email", {"to": "a@acme.example", "subject": "s", "body": "b"}, {"cc": ["b@acme.example"]}),
        ("send_email", {"to": "a@acme.example", "attachments": ["a.pdf"]}, {"attachments": ["b.pdf"]}),
        ("send_email", {"to": "a@acme.example", "document_id": "d-1", "body": "b"}, {"document_id": "d-2"}),
        ("delete_file", {"path": "/srv/a/b.md"}, {"recursive": True}),
        ("delete_file", {"path": "/srv/a/b.md", "dry_run": True}, {"dry_run": False}),
        ("update_record", {"record_id": "r-1", "fields": {"status": "open"}}, {"fields": {"owner": "eve"}}),
        ("update_record", {"record_id": "r-1", "status": "open"}, {"salary": 1}),
        ("create_coupon", {"name": "A", "percent_off": 10}, {"percent_off": 100}),
        ("set", {"key": "report:may", "value": "1"}, {"key": "session:9"}),
    ],
)
def test_a_rule_covers_no_argument_that_its_call_did_not_have_and_no_other_switch(
    name: str, arguments: dict[str, JsonValue], more: dict[str, JsonValue]
) -> None:
    tool = Tool("s", name, hints=Hints(), hash="x")
    found = [one for one in proposals(tool, arguments) if one.where]
    assert found
    for rule in found:
        rules = ToolRules(tool, (replace(rule, id="r"),))
        assert rules.judge(arguments).decision is CallDecision.ALLOW
        assert rules.judge(arguments | more).decision is None, rule.label
        known = KnownArguments(arguments, frozenset(set(more) - set(arguments)))
        if known.unknown:
            assert rules.judge_known(known).decision is None, rule.label


def test_sql_that_only_adds_rows_to_a_table() -> None:
    one = "INSERT INTO orders (id, name, at) VALUES (1, 'a', CURRENT_TIMESTAMP)"
    found = offered(SQL, {"sql": one})
    assert found["group"] == (Predicate("sql", "SQL that only adds rows to orders"),)
    (rule,) = (rule for rule in proposals(SQL, {"sql": one}) if rule.where == found["group"])
    assert "“sql” is SQL that only adds rows to orders and no other argument is given" in rule.label
    for good in (
        "insert into ORDERS values (2, -3.5, NULL), (3, 'x''y', :p);",
        'INSERT INTO "orders" (id) VALUES ($1)',
        "INSERT INTO orders VALUES (1); INSERT INTO orders VALUES (2)",
    ):
        assert allowed(SQL, found["group"], {"sql": good}), good
    for bad in (
        "INSERT INTO users (id) VALUES (1)",
        "INSERT INTO shop.orders (id) VALUES (1)",
        "INSERT OR REPLACE INTO orders VALUES (1)",
        "REPLACE INTO orders VALUES (1)",
        "INSERT INTO orders SELECT * FROM tokens",
        "INSERT INTO orders VALUES ((SELECT key FROM tokens))",
        "INSERT INTO orders VALUES (load_extension('x'))",
        "INSERT INTO orders VALUES (1) ON CONFLICT DO UPDATE SET id = 2",
        "INSERT INTO orders VALUES (1) RETURNING secret",
        "INSERT INTO orders VALUES (1); DROP TABLE orders",
        "INSERT INTO orders VALUES (1) DELETE FROM orders",
        "INSERT INTO orders VALUES (1, 'a\\'), (2, '); DROP TABLE orders --')",
        "INSERT INTO orders VALUES (1 /*! , (2) */), (3)",
        "WITH x AS (DELETE FROM orders) INSERT INTO orders VALUES (1)",
        "INSERT INTO orders DEFAULT VALUES",
        "INSERT INTO orders VALUES",
        "",
    ):
        assert not allowed(SQL, found["group"], {"sql": bad}), bad
    assert "group" not in offered(SQL, {"sql": "INSERT INTO orders SELECT 1"})
    long = f"INSERT INTO orders (id, text) VALUES (1, '{'word ' * 100}')"
    assert list(offered(SQL, {"sql": long})) == ["group"], "too long for a rule about exactly this"


def test_the_sentence_says_which_arguments_are_open() -> None:
    (exact, domain) = proposals(MAIL, {"to": "bob@acme.example", "subject": "s", "body": "b"})
    open_ones = "with any “subject” and “body” but no other argument, from any agent"
    assert all(open_ones in one.label for one in (exact, domain))
    rules = ToolRules(MAIL, (replace(domain, id="r"),))
    other: dict[str, JsonValue] = {"to": "ann@acme.example", "subject": "other", "body": "text"}
    assert rules.judge(other).decision is CallDecision.ALLOW
    assert rules.judge({"to": "ann@acme.example", "body": ""}).decision is CallDecision.ALLOW
    gone = Tool("files", "delete_file", hints=Hints(destructive=True), hash="g")
    assert "and no other argument is given" in proposals(gone, {"path": "/srv/a.md"})[0].label


def test_a_rule_that_the_user_wrote_covers_content_but_no_switch_and_no_attachment() -> None:
    rule = Permission(
        "r", "arguments", CallDecision.ALLOW, "mail", "send_email", (Predicate("to", "*@a.example"),), "m"
    )
    to: dict[str, JsonValue] = {"to": "bob@a.example", "body": "b", "priority": "low", "html": False}
    assert ToolRules(MAIL, (rule,)).judge(to).decision is CallDecision.ALLOW
    for more in ({"force": True}, {"attachments": ["x"]}, {"options": {"notify": "all"}}, {"command": "ls"}):
        assert ToolRules(MAIL, (rule,)).judge(to | more).decision is None, more


def test_names_of_new_objects_and_spaces_of_keys_are_left_open() -> None:
    coupon, keys = Tool("pay", "create_coupon", hints=Hints(), hash="c"), Tool("kv", "set", hints=Hints(), hash="k")
    found = offered(coupon, {"name": "MAY", "percent_off": 10})
    assert found["place"] == (Predicate("percent_off", "10"),)
    found = offered(keys, {"key": "report:2026:may", "value": "1"})
    assert found["group"] == (Predicate("key", "report:2026:*"),)
    assert list(offered(keys, {"key": "may", "value": "1"})) == ["exact"]


def test_a_call_that_is_known_in_part_is_judged_by_what_is_known() -> None:
    where = (Predicate("to", "bob@acme.example"),)
    rule = Permission("r", "arguments", CallDecision.ALLOW, "mail", "send_email", where, "m")
    rules = ToolRules(MAIL, (rule,))

    def answer(values: dict[str, JsonValue], *unknown: str) -> tuple[CallDecision | None, bool]:
        found = rules.judge_known(KnownArguments(values, frozenset(unknown)))
        return found.decision, found.depends

    assert answer({"to": "bob@acme.example"}) == (CallDecision.ALLOW, False)
    assert answer({"to": "bob@acme.example"}, "body") == (CallDecision.ALLOW, False)
    assert answer({"to": "eve@evil.example"}) == (None, False)
    assert answer({}, "to") == (CallDecision.ALLOW, True)
    assert answer({}, REST) == (CallDecision.ALLOW, True)
    assert answer({"to": "bob@acme.example"}, "bcc") == (None, False), "an unknown destination that no rule names"


def test_no_rule_is_derived_from_tokens_or_unknown_destinations() -> None:
    assert offers(MAIL, {"to": "[EMAIL_1.abcd]"}) == ()
    assert offers(MAIL, {"to": "bob@acme.example"}, frozenset({"cc"})) == ()


LEAF = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["a@b.example", "bob@acme.example", "docs/a.md", "../x", "https://a.example/x", "[NAME_1.ab12]"]),
    st.integers(),
    st.booleans(),
    st.none(),
)
VALUE = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["to", "name", "x"]), inner, max_size=2)
    ),
    max_leaves=5,
)
KEYS = st.sampled_from(["to", "cc", "bcc", "path", "url", "repo", "sql", "body", "id", "options", "Recipients", "a.b"])


@given(st.dictionaries(KEYS, VALUE, max_size=4), st.dictionaries(KEYS, VALUE, max_size=4))
@pytest.mark.parametrize("tool", [MAIL, FILES, SQL])
def test_each_offered_rule_allows_its_own_call_and_names_every_destination(
    tool: Tool, arguments: dict[str, JsonValue], other: dict[str, JsonValue]
) -> None:
    for rule in proposals(tool, arguments, "/p/workspace"):
        assert holds(rule.where, arguments, "/p/workspace")
        assert rule.label == sentence(rule)
        if rule.where and holds(rule.where, other, "/p/workspace"):
            named = {one.path.partition(".")[0].removesuffix("[]") for one in rule.where}
            for key in ("to", "cc", "bcc", "url", "Recipients"):
                assert key in named or other.get(key) in (None, "", [], {}) or isinstance(other[key], list | dict), key
                for one in rule.where:
                    if one.path == key and "*" not in one.pattern and isinstance(other.get(key), str):
                        assert str(other[key]).casefold() == one.pattern.replace("\\", "").casefold()


@pytest.mark.parametrize(
    ("name", "call", "other"),
    [
        ("delete_branch", {"repo": "r", "ref_name": "x"}, {"repo": "r", "ref_name": "main"}),
        ("delete_rows", {"table": "t", "filter": "id = 1"}, {"table": "t", "filter": "1 = 1"}),
        ("delete_rows", {"table": "t", "filter": {"id": 1}}, {"table": "t"}),
        ("close_issue", {"repo": "r", "issue": 3}, {"repo": "r", "issue": 4}),
        ("update_many", {"collection": "t", "filter": {"a": 1}, "update": {"b": 1}}, {"collection": "t", "update": {}}),
        ("pay", {"invoice_id": "i", "amount": 10, "currency": "EUR"}, {"invoice_id": "i", "amount": 10}),
        ("create_order", {"product_id": "p", "quantity": 1}, {"product_id": "p", "quantity": 1000}),
        (
            "share_file",
            {"file_id": "f", "invitees": ["bob@a.example"]},
            {"file_id": "f", "invitees": ["eve@b.example"]},
        ),
        (
            "send_mail",
            {"message": {"to": "bob@a.example"}},
            {"message": [{"to": "bob@a.example", "attachments": ["x"]}]},
        ),
        (
            "send_mail",
            {"body": {"Message": {"to": "bob@a.example"}}},
            {"body": {"Message": {"to": "bob@a.example", "attachments": ["x"]}}},
        ),
        ("send_mail", {"to": "bob@a.example", "body": "x"}, {"to": "bob@a.example", "body": "x", "body.cc": "eve"}),
    ],
)
def test_no_offered_rule_leaves_open_what_decides(
    name: str, call: dict[str, JsonValue], other: dict[str, JsonValue]
) -> None:
    tool = Tool("s", name, hints=Hints(destructive=True, open_world=True), hash="h")
    rules = [replace(one, id="r") for one in proposals(tool, call)]
    assert rules
    for rule in rules:
        judged = ToolRules(tool, (rule,))
        assert judged.judge(call).decision is CallDecision.ALLOW, rule.label
        assert judged.judge(other).decision is not CallDecision.ALLOW, rule.label
