"""The bounds of a run: how two compare, and which tools are inside."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.run_profiles import (
    BUILT_IN,
    EXECUTE_FULL,
    READ_ONLY,
    WRITE_RESTRICTED,
    RunProfiles,
    described,
    outside,
    within,
)
from workbench.records import Hints, RunProfile, Tool

READS = Tool("shop", "list_orders", hints=Hints(read_only=True))
VERB = Tool("shop", "get_order")
ADDS = Tool("shop", "create_order", hints=Hints(read_only=False, destructive=False))
ENDS = Tool("shop", "delete_order", hints=Hints(destructive=True))
LIAR = Tool("shop", "delete_all", hints=Hints(read_only=True))
ALL = (READS, VERB, ADDS, ENDS, LIAR)


@pytest.mark.parametrize(
    ("tools", "inside"),
    [("none", ()), ("read", (READS, VERB)), ("add", (READS, VERB, ADDS)), ("all", ALL)],
)
def test_a_class_of_tools_holds_the_ones_before_it(tools: str, inside: tuple[Tool, ...]) -> None:
    profile = RunProfile("mine", tools=tools)
    assert tuple(tool for tool in ALL if outside(profile, (), tool) is None) == inside


def test_a_run_limited_to_tools_calls_no_other() -> None:
    fault = outside(WRITE_RESTRICTED, ("shop.list_orders",), VERB)
    assert fault is not None
    assert fault.message == "shop.get_order is not among the required_tools of this program."
    assert outside(None, ("shop.get_order",), VERB) is None


def test_a_profile_is_kept_to_its_servers_and_tools() -> None:
    kept = RunProfile("mine", only=("mail", "shop.list_*"))
    assert outside(kept, (), READS) is None
    assert outside(kept, (), VERB) is not None
    assert outside(kept, (), replace(VERB, server="mail")) is None
    assert outside(kept, (), replace(VERB, server="mailer")) is not None


def test_every_profile_is_within_itself_and_read_only_within_the_usual_one() -> None:
    assert all(within(one, one) for one in BUILT_IN.values())
    assert within(READ_ONLY, WRITE_RESTRICTED)
    assert not within(WRITE_RESTRICTED, READ_ONLY)
    assert not within(EXECUTE_FULL, WRITE_RESTRICTED)


@pytest.mark.parametrize(
    "wider",
    [
        {"workspace": "write"},
        {"tools": "add"},
        {"network": True},
        {"times": 2},
    ],
)
def test_whatever_allows_more_is_not_within(wider: dict[str, object]) -> None:
    assert not within(replace(READ_ONLY, **wider), READ_ONLY)  # type: ignore[arg-type]


def test_less_asking_less_isolation_and_higher_limits_are_more() -> None:
    strict = RunProfile("strict", ask=True, isolation="container", seconds=5, only=("mail",))
    assert within(replace(strict, isolation="vm", seconds=1), strict)
    for loose in ({"ask": False}, {"isolation": ""}, {"seconds": 0}, {"seconds": 6}, {"only": ()}, {"only": ("shop",)}):
        assert not within(replace(strict, **loose), strict)  # type: ignore[arg-type]


def test_a_profile_says_what_it_allows() -> None:
    assert described(READ_ONLY).sentence == (
        "Reads the workspace and cannot change it; calls tools that only read; has no network access."
    )
    assert "always needs the user's approval" in described(EXECUTE_FULL).sentence


# profiles of both settings files: the person's count, a project's only as far as they narrow or were accepted


class Files:
    """The two settings files and the default of the person."""

    def __init__(self, root: Path) -> None:
        self.root, self.default = root, "write_restricted"
        self.bounds = self.again()

    def again(self) -> RunProfiles:
        return RunProfiles(
            self.root / "project.toml", self.root / "you.toml", self.root / "yes.json", lambda: self.default
        )

    def write(self, name: str, text: str) -> None:
        (self.root / f"{name}.toml").write_text(text)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_three_are_built_in_and_the_usual_one_is_the_default(files: Files) -> None:
    assert [one.name for one in files.bounds.profiles().all] == ["read_only", "write_restricted", "execute_full"]
    assert files.bounds.find("").name == "write_restricted"
    with pytest.raises(WorkbenchError, match="no profile 'other'"):
        files.bounds.find("other")


def test_a_persons_own_profile_counts_as_it_stands(files: Files) -> None:
    files.write("you", '[profiles.reports]\nbase = "read_only"\nworkspace = "write"\nonly = ["shop"]\nseconds = 5\n')
    found = files.bounds.find("reports")
    assert (found.workspace, found.tools, found.only, found.network, found.seconds) == (
        "write",
        "read",
        ("shop",),
        False,
        5,
    )
    assert files.bounds.wider(found) == ""


def test_a_project_may_narrow_and_what_it_widens_waits_for_a_yes_to_exactly_that(files: Files) -> None:
    files.write("project", '[profiles.narrow]\nnetwork = false\n[profiles.wide]\nbase = "read_only"\ntools = "all"\n')
    assert files.bounds.find("narrow").accepted
    with pytest.raises(WorkbenchError, match="was not accepted"):
        files.bounds.find("wide")
    wide = next(one for one in files.bounds.profiles().all if one.name == "wide")
    files.bounds.accept(wide.sha)
    assert files.again().find("wide").tools == "all"
    files.write("project", '[profiles.wide]\nbase = "read_only"\ntools = "all"\nworkspace = "write"\n')
    with pytest.raises(WorkbenchError, match="was not accepted"):
        files.bounds.find("wide")
    with pytest.raises(WorkbenchError, match="has changed since it was shown"):
        files.bounds.accept(wide.sha)


def test_a_yes_is_taken_back(files: Files) -> None:
    files.write("project", '[profiles.wide]\nbase = "read_only"\ntools = "all"\n')
    wide = files.bounds.profiles().all[-1]
    files.bounds.accept(wide.sha)
    files.bounds.withdraw(wide.sha)
    assert not files.bounds.profiles().all[-1].accepted


@pytest.mark.parametrize(
    "entry",
    [
        "[profiles.read_only]\nask = false",
        "[profiles.Upper]\nask = true",
        '[profiles.mine]\nbase = "root"',
        '[profiles.mine]\ntools = "some"',
        '[profiles.mine]\nnetwork = "no"',
        "[profiles.mine]\nseconds = -1",
        "[profiles.mine]\nseconds = true",
        '[profiles.mine]\nonly = "shop"',
        "[profiles.mine]\ntimes = 9",
        "[profiles]\nmine = 3",
        "[[profiles]]\nname = 3",
    ],
)
def test_a_wrong_profile_is_left_out_with_a_notice(files: Files, entry: str) -> None:
    files.write("you", entry)
    found = files.bounds.profiles()
    assert [one.name for one in found.all] == ["read_only", "write_restricted", "execute_full"]
    assert found.notices
    assert found.all[0].tools == "read"


def test_a_default_that_is_not_the_persons_becomes_the_strictest(files: Files) -> None:
    files.write("project", "[profiles.ours]\nnetwork = false\n")
    files.default = "ours"
    assert files.bounds.find("").name == "read_only"
    assert "neither built in nor yours" in files.bounds.profiles().notices[0].message


def test_a_profile_that_allows_more_than_the_default_says_so(files: Files) -> None:
    files.default = "read_only"
    found = files.bounds.find("write_restricted")
    assert (
        files.bounds.wider(found)
        == "Requests the profile write_restricted, which allows more than the default profile read_only."
    )
    assert files.bounds.wider(files.bounds.find("")) == ""
