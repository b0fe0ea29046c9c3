"""The engine's seccomp profile allows the runner's system calls, and only those additional ones that starting needs."""

from __future__ import annotations

from workbench.sandbox.container.run_arguments import seccomp_profile
from workbench.sandbox.locks.seccomp_filter import PLAIN


def allowed(parent: bool) -> set[str]:
    return {
        name
        for rule in seccomp_profile(parent)["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW" and "args" not in rule
        for name in rule["names"]
    }


def test_what_is_not_named_is_refused() -> None:
    found = seccomp_profile(parent=False)
    assert (found["defaultAction"], found["defaultErrnoRet"]) == ("SCMP_ACT_ERRNO", 1)
    assert len(found["architectures"]) == 1


def test_it_is_the_runner_s_own_list_and_what_beginning_takes() -> None:
    more = allowed(parent=False) - set(PLAIN.split())
    beginning = "capset execve landlock_add_rule landlock_create_ruleset landlock_restrict_self prctl seccomp"
    assert more == {*beginning.split(), "setrlimit", "prlimit64"}
    assert not allowed(parent=False) & {"socket", "fork", "vfork", "clone", "mount", "unshare", "ptrace", "bpf", "open"}


def test_only_where_bytes_are_carried_may_a_process_be_made() -> None:
    assert allowed(parent=True) - allowed(parent=False) == {"clone", "clone3", "fork", "vfork"}


def test_conditions_compare_what_the_runner_s_filter_compares() -> None:
    rules = {rule["names"][0]: rule["args"] for rule in seccomp_profile(parent=False)["syscalls"] if "args" in rule}
    assert rules["clone"] == [{"index": 0, "value": 0x7E030000, "valueTwo": 0x00010000, "op": "SCMP_CMP_MASKED_EQ"}]
    assert {"index": 0, "value": 1, "op": "SCMP_CMP_EQ"} in rules["socketpair"]


def test_newer_calls_are_absent_rather_than_forbidden() -> None:
    absent = next(rule for rule in seccomp_profile(parent=False)["syscalls"] if rule["action"] == "SCMP_ACT_ERRNO")
    assert absent["errnoRet"] == 38
    assert {"clone3", "memfd_create", "io_uring_setup"} <= set(absent["names"])
