"""What a program did stands beside what its text foretold, and what it did not foretell comes first."""

from __future__ import annotations

from workbench.analysis.observed_effects import ObservedEffects, compare_effects, unpredicted_effects
from workbench.analysis.reading import assess
from workbench.records import Hints, Tool

TOOLS = (
    Tool("demo", "list_orders", hints=Hints(read_only=True)),
    Tool("demo", "send_email", hints=Hints(read_only=False, destructive=False, open_world=True)),
)
CODE = """
import os, urllib.request
from servers.demo import list_orders
name = (await list_orders())["name"]
open(f"workspace/{name}.csv", "w").write("x")
os.remove("workspace/old.txt")
os.makedirs("workspace/new")
urllib.request.urlopen("https://api.example.org/v1")
"""
VERDICT = assess(CODE, TOOLS, reach=())


def found(seen, **more):
    return {(one.kind, one.subject): one for one in compare_effects(VERDICT, seen, **more)}


def test_what_was_foretold_and_seen_is_no_surprise():
    seen = ObservedEffects(
        {"demo.list_orders": (3, 0)},
        {"api.example.org:443": (1, 0)},
        ("workspace/march.csv", "workspace/new/deep/file.txt"),
        ("workspace/old.txt",),
    )
    observations = compare_effects(VERDICT, seen)
    assert unpredicted_effects(observations) == ()
    assert {one.times for one in observations if one.kind == "tool"} == {3}
    assert all(one.predicted for one in observations)


def test_what_was_not_foretold_comes_first_and_in_words():
    seen = ObservedEffects(
        {"demo.send_email": (1, 2)}, {"evil.example:443": (0, 1)}, ("workspace/x.txt",), ("workspace/y",)
    )
    observations = compare_effects(VERDICT, seen)
    assert [one.unforeseen for one in observations][:4] == [True] * 4
    words = (
        "called demo.send_email",
        "tried to contact evil.example:443",
        "wrote workspace/x.txt",
        "deleted workspace/y",
    )
    assert set(unpredicted_effects(observations)) == set(words)


def test_what_was_foretold_and_did_not_happen_is_told_too():
    observations = found(ObservedEffects())
    assert observations["deleted", "workspace/old.txt"].times == 0
    assert observations["tool", "demo.list_orders"].line == 4
    assert unpredicted_effects(observations.values()) == ()


def test_where_nobody_read_the_text_only_tools_can_surprise():
    observations = found(ObservedEffects({"demo.send_email": (1, 0)}, {}, ("workspace/x.txt",)), read=False)
    assert observations["written", "workspace/x.txt"].predicted is None
    assert unpredicted_effects(observations.values()) == ("called demo.send_email",)


def test_names_of_files_are_no_patterns():
    verdict = assess('open("workspace/a[1].txt", "w")', ())
    assert unpredicted_effects(compare_effects(verdict, ObservedEffects(written=("workspace/a[1].txt",)))) == ()
    assert unpredicted_effects(compare_effects(verdict, ObservedEffects(written=("workspace/a1.txt",)))) == (
        "wrote workspace/a1.txt",
    )
