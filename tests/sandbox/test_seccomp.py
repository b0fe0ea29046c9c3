"""The seccomp filter, interpreted instruction by instruction as in the kernel, for both processor architectures."""

from __future__ import annotations

import errno
import struct

import pytest

from workbench.sandbox.locks.seccomp_filter import ABSENT, ARCHITECTURES, CONDITIONAL, PLAIN, filter_program, numbers

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSED, UNKNOWN = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS


def judge(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """The result of the kernel's BPF machine for this call."""
    data = struct.pack("=iIQ6Q", number, architecture, 0, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    code = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    at, value = 0, 0
    while True:
        kind, if_true, if_false, operand = code[at]
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif kind == 0x54:
            value &= operand
        elif kind == 0x15:
            at += if_true if value == operand else if_false
        elif kind == 0x35:
            at += if_true if value >= operand else if_false
        else:
            assert kind == 0x06
            return operand


@pytest.fixture(params=list(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(machine: str, name: str, *arguments: int) -> int:
    return judge(filter_program(machine), ARCHITECTURES[machine], numbers(machine)[name], *arguments)


def test_every_listed_call_is_allowed_and_every_other_refused(machine: str) -> None:
    known = numbers(machine)
    plain = {known[name] for name in PLAIN.split() if name in known}
    absent = {known[name] for name in ABSENT.split() if name in known}
    guarded = {known[name] for name in CONDITIONAL if name in known}
    program = filter_program(machine)
    for number in range(500):
        answer = judge(program, ARCHITECTURES[machine], number)
        if number in plain:
            assert answer == ALLOW
        elif number in absent:
            assert answer == UNKNOWN
        elif number == known["fallocate"]:  # the C library then writes block by block
            assert answer == 0x50000 | errno.ENOTSUP
        elif number not in guarded:
            assert answer == REFUSED


def test_other_instruction_sets_end_the_process(machine: str) -> None:
    program = filter_program(machine)
    assert judge(program, 0x40000003, 1) == KILL
    assert judge(program, ARCHITECTURES[machine], 0x40000000) == KILL


def test_threads_may_be_made_and_processes_may_not(machine: str) -> None:
    thread = 0x3D0F00
    assert ask(machine, "clone", thread) == ALLOW
    assert ask(machine, "clone", 17) == REFUSED
    assert ask(machine, "clone", thread | 0x10000000) == REFUSED


def test_files_cannot_be_born_with_another_users_rights(machine: str) -> None:
    assert ask(machine, "openat", 0, 0, 0o100, 0o644) == ALLOW
    assert ask(machine, "openat", 0, 0, 0o100, 0o4755) == REFUSED
    assert ask(machine, "openat", 0, 0, 0, 0o4755) == ALLOW  # opens only: the mode argument is unused
    assert ask(machine, "fchmodat", 0, 0, 0o2755) == REFUSED
    assert ask(machine, "fchmod", 3, 0o600) == ALLOW


def test_a_rename_leaves_no_device_behind(machine: str) -> None:
    assert [ask(machine, "renameat2", 0, 0, 0, 0, how) for how in (0, 1, 2, 4, 5)] == [ALLOW] * 3 + [REFUSED] * 2


def test_every_limit_may_be_lowered_but_the_one_at_which_a_crash_starts_nothing(machine: str) -> None:
    for kind in range(16):
        wanted = REFUSED if kind == 4 else ALLOW
        assert ask(machine, "setrlimit", kind, 1000) == wanted
        assert ask(machine, "prlimit64", 0, kind, 1000) == wanted
        assert ask(machine, "prlimit64", 0, kind, 0, 1000) == ALLOW
    assert ask(machine, "prlimit64", 0, 4, 1 << 32) == REFUSED


def test_who_shares_a_world_learns_nothing_of_the_others_in_it(machine: str) -> None:
    program, known = filter_program(machine, alone=77), numbers(machine)

    def answer(name: str, *arguments: int) -> int:
        return judge(program, ARCHITECTURES[machine], known[name], *arguments)

    for name in ("getpgid", "getsid", "sched_getaffinity"):
        assert [answer(name, process) for process in (0, 77, 78)] == [ALLOW, ALLOW, REFUSED]
    assert [answer("prlimit64", process, 7) for process in (0, 77, 78)] == [ALLOW, ALLOW, REFUSED]
    assert answer("prlimit64", 77, 4, 1000) == REFUSED
    assert answer("clock_gettime", 3) == ALLOW
    assert answer("clock_gettime", (~78 << 3 | 2) & (1 << 64) - 1) == REFUSED
    assert answer("getpriority", 0, 78) == REFUSED


def test_only_stream_pairs_of_sockets(machine: str) -> None:
    assert ask(machine, "socketpair", 1, 1 | 0o2004000) == ALLOW
    assert ask(machine, "socketpair", 1, 2) == REFUSED
    assert ask(machine, "socketpair", 2, 1) == REFUSED


def test_terminal_injection_is_refused_in_every_disguise(machine: str) -> None:
    assert ask(machine, "ioctl", 0, 0x5413) == ALLOW
    assert ask(machine, "ioctl", 0, 0x5412) == REFUSED
    assert ask(machine, "ioctl", 0, 0x5412 | 1 << 32) == REFUSED
    assert ask(machine, "ioctl", 0, 0x5413 | 1 << 32) == REFUSED


def test_a_program_cannot_outlive_its_parent_by_asking(machine: str) -> None:
    assert ask(machine, "prctl", 1, 0) == REFUSED
    assert ask(machine, "prctl", 15, 0) == ALLOW


def test_what_becomes_another_program_runs_no_memory_that_was_written(machine: str) -> None:
    program, known = filter_program(machine, starts=True), numbers(machine)

    def answer(name: str, *arguments: int) -> int:
        return judge(program, ARCHITECTURES[machine], known[name], *arguments)

    assert ask(machine, "execve") == REFUSED
    assert answer("execve") == ALLOW
    assert answer("clone", 0) == REFUSED
    read, write, execute, private, anonymous = 1, 2, 4, 2, 32
    assert answer("mmap", 0, 4096, read | write, private | anonymous) == ALLOW
    assert answer("mmap", 0, 4096, read | execute, private) == ALLOW
    assert answer("mmap", 0, 4096, read | write | execute, private) == REFUSED
    assert answer("mmap", 0, 4096, read | execute, private | anonymous) == REFUSED
    assert answer("mprotect", 0, 4096, read | write) == ALLOW
    assert answer("mprotect", 0, 4096, read | execute) == REFUSED
