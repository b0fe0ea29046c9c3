"""What the audit stores about a run besides its text: names where known, masked, and bounded."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.records import Flow, Gate, Observation, Origin, Proposal, Risk, Run, RunProfile, RunState, Verdict
from workbench.runs.run import MOST_DETAILS, login_name, outcome_detail, verdict_grounds


def hidden(text: str) -> str:
    return text.replace("ada", "[NAME_1]")


def test_the_grounds_of_a_verdict_are_hashes_and_masked_flows():
    flow = Flow("private", "ada.orders", 3, "demo.send.to", 9)
    profile = RunProfile("read_only", sha="p1")
    verdict = Verdict("a" * 64, Risk.LOW, Gate.AUTO, "Reads.", definitions={"demo.send": "d1"}, flows=(flow,) * 200)
    kept = verdict_grounds(replace(verdict, profile=profile), hidden)
    assert (kept["definitions"], kept["profile"], kept["profile_sha"]) == ({"demo.send": "d1"}, "read_only", "p1")
    assert kept["flows"] == ["private: [NAME_1].orders → demo.send.to"] * MOST_DETAILS
    assert verdict_grounds(verdict, hidden)["profile"] == ""


def test_the_outcome_tells_foretold_and_seen():
    proposal = Proposal("r1", "x", "a" * 64, Origin.AGENT, "s1", "claude")
    seen = Observation("written", "workspace/ada.csv", predicted=False, times=2)
    run = Run("r1", proposal, RunState.DONE, observed=(seen,), read=("private",))
    assert outcome_detail(run, hidden, {"EMAIL": 3}) == {
        "observed": [
            {"kind": "written", "subject": "workspace/[NAME_1].csv", "predicted": False, "times": 2, "refused": 0}
        ],
        "read": ["private"],
        "tokens_made": {"EMAIL": 3},
    }
    assert login_name()
