"""The probe reports only what a trial on this machine has shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.sandbox import isolation_probe
from workbench.sandbox.program import Ending, Program

HELD = {"root": True, "network": True, "fork": True, "user": 1000, "files": True, "others": True, "inodes": True}
FACTS = {"worlds": {"net": "net:[1]"}, "filtered": True, "powerless": True, "landlock": 5}


def trial(found: Mapping[str, object], facts: Mapping[str, object]) -> Any:
    async def tried(backend: str, program: Program) -> tuple[Ending, Mapping[str, object]]:
        (Path(program.workspace) / "probe").write_text("x")
        return Ending(True, "done", json.dumps(found)), facts

    return tried


async def test_all_locks_in_force_are_full_strength() -> None:
    strength = await isolation_probe.strongest("native", trial(HELD, FACTS))
    assert (strength.backend, strength.level, strength.reason) == ("native", "full", "")
    assert all(strength.features.values())


@pytest.mark.parametrize(
    ("found", "facts", "missing"),
    [
        ({**HELD, "network": False}, FACTS, "no network"),
        ({**HELD, "user": 0}, FACTS, "not root"),
        (HELD, {**FACTS, "filtered": False}, "seccomp"),
        (HELD, {**FACTS, "worlds": {}}, "namespaces"),
        (HELD, {**FACTS, "worlds": {"net": ""}}, "namespaces"),
    ],
)
async def test_one_lock_missing_is_no_sandbox(found: Any, facts: Any, missing: str) -> None:
    strength = await isolation_probe.strongest("native", trial(found, facts))
    assert strength.level == "none"
    assert missing in strength.reason
    assert strength.hint


async def test_without_namespaces_landlock_and_the_filter_are_a_reduced_sandbox() -> None:
    facts = {**FACTS, "worlds": {"net": os.readlink("/proc/self/ns/net")}}
    strength = await isolation_probe.strongest("", trial({**HELD, "inodes": False}, facts))
    assert (strength.backend, strength.level) == ("reduced", "reduced")
    assert "high or critical" in strength.reason
    assert strength.hint == strength.fixes["namespaces"]
    assert "inode quota" in strength.fixes
    without = await isolation_probe.strongest("", trial(HELD, {**facts, "landlock": 0}))
    assert without.level == "none"


@pytest.mark.parametrize("canary", ["files", "others"])
async def test_one_file_or_process_of_the_host_in_reach_is_no_sandbox(canary: str) -> None:
    for backend in isolation_probe.BACKENDS:
        assert (await isolation_probe.strongest(backend, trial({**HELD, canary: False}, FACTS))).level == "none"


async def test_a_kernel_without_landlock_is_said_to_have_none() -> None:
    strength = await isolation_probe.strongest("native", trial(HELD, {**FACTS, "landlock": 0}))
    assert (strength.level, strength.features["Landlock"]) == ("full", False)
    assert "Landlock" in strength.reason


async def test_the_next_backend_is_tried_and_the_reasons_are_told() -> None:
    async def refusing(backend: str, program: Program) -> Any:
        raise WorkbenchError(f"{backend} is forbidden.")

    strength = await isolation_probe.strongest("", refusing)
    assert "native: native is forbidden; bubblewrap: bubblewrap is forbidden; " in strength.reason
    assert strength.reason.endswith("reduced: reduced is forbidden).")


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "apparmor_restrict"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "unprivileged_userns_clone"),
        ("/proc/sys/user/max_user_namespaces", "0", "max_user_namespaces"),
    ],
)
def test_the_hint_names_what_forbids_it(monkeypatch: pytest.MonkeyPatch, path: str, value: str, word: str) -> None:
    monkeypatch.setattr(isolation_probe, "_system_file", lambda asked: value if asked == path else "")
    assert word in isolation_probe.hint()


def test_root_without_another_user_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation_probe.os, "getuid", lambda: 0)
    for users, alone in (("0 0 1", True), ("0 0 4294967295", False), ("0 1000 1\n1 100000 65536", False), ("", False)):
        monkeypatch.setattr(
            isolation_probe, "_system_file", lambda path, users=users: users if path == "/proc/self/uid_map" else ""
        )
        assert ("Root is the only user here" in isolation_probe.hint()) == alone, users


def test_the_hint_for_too_few_descriptors_weakens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.sandbox.isolation_probe.resource.getrlimit", lambda which: (64, 64))
    assert isolation_probe.hint().startswith("This process may open 64 files at once")
    assert "ulimit -n 1024" in isolation_probe.hint()
    assert "seccomp" not in isolation_probe.hint()
