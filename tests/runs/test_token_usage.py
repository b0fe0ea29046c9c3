"""The token count of a session is computed from the events of calls and runs."""

from __future__ import annotations

from workbench.broker.agent_sessions import Sessions
from workbench.events import EntryWritten, RunChanged
from workbench.records import Entry, Note, Origin, Proposal, Run, RunState
from workbench.runs.pii_token_tracking import TokenUsage

TOKEN = "[EMAIL_1.k7q2]"


def _entry(session: str, kind: str = "call.done") -> EntryWritten:
    note = Note(kind, "", "a", session, "r1", "mail", "send", detail={"call": "c1", "arguments": f'{{"to":"{TOKEN}"}}'})
    return EntryWritten(Entry(1, 5.0, note, "", ""))


def _ended(session: str, **more: object) -> RunChanged:
    proposal = Proposal("r1", "", "", Origin.AGENT, session, "a", "", 1.0)
    return RunChanged(Run("r1", proposal, RunState.DONE, model_view=f"sent to {TOKEN}", **more))


def test_calls_and_views_of_a_session_are_followed_in_it_and_in_no_other():
    sessions = Sessions(lambda: True)
    one, other = sessions.open("a"), sessions.open("b")
    trails = TokenUsage(sessions)
    trails.hear(_entry(one.id))
    trails.hear(_ended(one.id))
    trails.hear(_ended(one.id))  # for example for its pictures: the end of a run is published more than once
    uses = one.token_history.uses(TOKEN)
    assert uses.times == 1
    assert [(place.server, place.tool, place.run_id) for place in uses.calls.values()] == [("mail", "send", "r1")]
    assert other.token_history.uses(TOKEN).times == 0


def test_what_was_refused_or_belongs_to_a_session_that_is_gone_leaves_no_trail():
    sessions = Sessions(lambda: True)
    one = sessions.open("a")
    trails = TokenUsage(sessions)
    trails.hear(_entry(one.id, "call.refused"))
    trails.hear(_entry("agent-gone"))
    assert not one.token_history.uses(TOKEN).calls
