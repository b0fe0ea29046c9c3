"""The user's own calls: only what destroys or sends asks, by hint or by name, however the name is spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.permissions.own_calls import DESTROYS, SENDS, find_objection
from workbench.permissions.tool_annotations import effective_tool
from workbench.records import Hints, ServerDecision, Tool, Trust, UserAnnotations

BELIEVED = Trust(decisions={"s": ServerDecision(earlier=True)})

# Names of well-known servers' tools that say nothing of what they do.
HARMLESS = """echo git_status git_log git_diff_staged git_commit git_add git_checkout git_branch fetch get_issue
    sequentialthinking browser_snapshot browser_take_screenshot browser_close directory_tree query query-docs read_query
    list_messages slack_get_channel_history search_email FetchMessage TwilioApiV2010--ListCall get_or_create_user hset
    hgetall set create_entities create_issue add_observations update_issue write_file close_page list_delete_markers
    order_status workflow_run_list maps_geocode convert_time toggle-simulated-logging resolve-library-id"""
DESTROYING = """delete_user deleteUser DELETE-all git_reset drop_table remove_item bulk_remove
    TwilioApiV2010--DeleteCall hdel json_del lpop xgroup_destroy truncate cleanup exec_in_pod execute_sql
    run_sql run_query write_query bash browser_run_code_unsafe evaluate_script find_and_delete move_to_trash
    kill_process merge_pull_request revoke_key"""
SENDING = """send_email sendMessage slack_post_message slack_reply_to_thread add_issue_comment publish push_files
    TwilioApiV2010--CreateMessage TwilioApiV2010--CreateCall purchase buy_domain pay_invoice create_refund place_order
    transfer_money upload_file notify_team post_tweet share_document invite_user book_flight checkout_cart"""


@pytest.mark.parametrize(
    ("names", "what"), [(HARMLESS, None), (DESTROYING, DESTROYS), (SENDING, SENDS)], ids=["harmless", "destroy", "send"]
)
def test_a_silent_server_is_judged_by_names(names: str, what: str | None) -> None:
    found = {name: find_objection(effective_tool(Tool("quiet", name), Trust())) for name in names.split()}
    wrong = {name: one and one.sentence for name, one in found.items() if (one.what if one else None) != what}
    assert not wrong


@given(
    verb=st.sampled_from(["delete", "drop", "remove", "purge", "send", "post", "publish", "purchase", "execute_sql"]),
    prefix=st.sampled_from(["", "github", "api", "my_server", "x1"]),
    thing=st.sampled_from(["", "customer", "all_rows", "report"]),
    style=st.sampled_from(["_", "-", ".", "/", "camel", "Pascal", "upper"]),
)
def test_no_spelling_of_a_name_hides_its_verb(verb: str, prefix: str, thing: str, style: str) -> None:
    words = [part for part in (prefix, verb, "" if "sql" in verb else thing) if part]
    parts = "_".join(words).split("_")
    if style == "camel":
        name = parts[0] + "".join(part.capitalize() for part in parts[1:])
    elif style == "Pascal":
        name = "".join(part.capitalize() for part in parts)
    elif style == "upper":
        name = "_".join(parts).upper()
    else:
        name = style.join(parts)
    assert find_objection(effective_tool(Tool("quiet", name), Trust())) is not None, name


@pytest.mark.parametrize("name", ["dеlete_user", "ｄｅｌｅｔｅ_user", "ѕend_email", "e_drop_ﬁle"])
def test_letters_of_another_script_hide_no_verb(name: str) -> None:
    assert not name.isascii()
    assert find_objection(effective_tool(Tool("quiet", name), Trust())) is not None


@pytest.mark.parametrize("claims", [Hints(read_only=True), Hints(destructive=False, read_only=False), Hints()])
@pytest.mark.parametrize("believed", [Trust(), BELIEVED])
def test_no_hint_takes_the_question_from_a_name_that_destroys(claims: Hints, believed: Trust) -> None:
    assert find_objection(effective_tool(Tool("s", "delete_all", hints=claims), believed))


def test_a_hint_that_it_destroys_counts_without_trust() -> None:
    found = find_objection(
        effective_tool(Tool("s", "browser_click", hints=Hints(read_only=False, destructive=True)), Trust())
    )
    assert found is not None
    both = effective_tool(Tool("s", "look", hints=Hints(read_only=True, destructive=True)), BELIEVED)
    assert find_objection(both) is not None, "what makes it dangerous counts beside what makes it harmless"
    assert found.sentence == "browser_click may delete or overwrite data for good: s says so."


def test_what_the_user_marked_asks_and_what_they_cleared_does_not() -> None:
    def said(name: str, **bits: bool) -> Tool:
        return effective_tool(
            Tool("s", name, hash="h"), Trust(annotations={"s": {name: UserAnnotations(key="h", **bits)}})
        )

    assert find_objection(said("echo", destructive=True)) is not None
    assert find_objection(said("echo", sends=True)) is not None
    assert find_objection(said("reset_view", destructive=False)) is None
    assert find_objection(said("post_process", sends=False)) is None
    assert find_objection(said("delete_preview", read_only=True)) is None
