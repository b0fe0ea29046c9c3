"""The allow list of system calls as a seccomp (BPF) program, and their numbers per processor.

Each entry is `name x86_64 aarch64`; a dash says that the processor never had the call.

The filter is built without a library, so nothing has to be installed, and the list below is complete. Calls that are
not listed fail with EPERM. Calls of foreign instruction sets (i386, x32) kill the process.
"""

from __future__ import annotations

import errno
import functools
import os
import struct
from typing import NamedTuple

# The kernel's processor constants (AUDIT_ARCH_*), as the filter reads them.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_TABLE = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, pwritev 296 70,
preadv2 327 286, pwritev2 328 287, close 3 57, close_range 436 436, stat 4 -, fstat 5 80, lstat 6 -, newfstatat
262 79, statx 332 291, access 21 -, faccessat 269 48, faccessat2 439 439, lseek 8 62, getdents 78 -, getdents64
217 61, readlink 89 -, readlinkat 267 78, getcwd 79 17, chdir 80 49, fchdir 81 50, mkdir 83 -, mkdirat 258 34,
rmdir 84 -, unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276, link 86 -, linkat 265
37, symlink 88 -, symlinkat 266 36, umask 95 166, truncate 76 45, ftruncate 77 46, fallocate 285 47, fsync 74
82, fdatasync 75 83, sync_file_range 277 84, utimensat 280 88, utimes 235 -, utime 132 -, futimesat 261 -,
fadvise64 221 223, readahead 187 213, flock 73 32, fcntl 72 25, dup 32 23, dup2 33 -, dup3 292 24, pipe 22 -,
pipe2 293 59, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -, epoll_create1 291 20,
epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19,
timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87, signalfd4 289 74, sendfile 40 71,
copy_file_range 326 285, splice 275 76, tee 276 77, mmap 9 222, munmap 11 215, mremap 25 216, mprotect 10 226,
madvise 28 233, msync 26 227, mincore 27 232, brk 12 214, mlock 149 228, munlock 150 229, mlock2 325 284,
membarrier 324 283, futex 202 98, futex_waitv 449 449, set_robust_list 273 99, get_robust_list 274 100,
set_tid_address 218 96, rseq 334 293, arch_prctl 158 -, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn
15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132,
restart_syscall 219 128, kill 62 129, tgkill 234 131, tkill 200 130, pause 34 -, alarm 37 -, setitimer 38 103,
getitimer 36 102, timer_create 222 107, timer_settime 223 110, timer_gettime 224 108, timer_delete 226 111,
timer_getoverrun 225 109, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, nanosleep 35
101, gettimeofday 96 169, time 201 -, times 100 153, getrusage 98 165, getpid 39 172, getppid 110 173, gettid
186 178, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150,
getgroups 115 158, getpgid 121 155, getpgrp 111 -, getsid 124 156, getpriority 140 141, sched_yield 24 124,
sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120, sched_get_priority_max 146 125,
sched_get_priority_min 147 126, getcpu 309 168, getrlimit 97 163, setrlimit 160 164, prlimit64 302 261, uname 63
160, sysinfo 99 179, statfs 137 43, fstatfs 138 44, getrandom 318 278, capget 125 90, exit 60 93, exit_group 231
94, wait4 61 260, waitid 247 95, sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212, shutdown 48
210, getsockname 51 204, getpeername 52 205, getsockopt 55 209, setsockopt 54 208, getxattr 191 8, lgetxattr 192
9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13, open 2 -, openat 257 56, creat 85
-, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, clone 56 220, socketpair 53 199, ioctl 16 29,
prctl 157 167, personality 135 92, clone3 435 435, openat2 437 437, io_uring_setup 425 425, io_uring_enter 426
426, io_uring_register 427 427, memfd_create 319 279, mbind 237 235, get_mempolicy 239 236, set_mempolicy 238
237, pidfd_open 434 434, pidfd_send_signal 424 424, pidfd_getfd 438 438, process_madvise 440 440,
landlock_create_ruleset 444 444, landlock_add_rule 445 445, landlock_restrict_self 446 446, seccomp 317 277,
pivot_root 155 41, execve 59 221, capset 126 91, unshare 272 97, mount 165 40, umount2 166 39
"""


@functools.cache
def numbers(machine: str = "") -> dict[str, int]:
    """Name → number on this machine. Calls that it does not have are left out."""
    column = list(ARCHITECTURES).index(machine or os.uname().machine) + 1
    rows = (entry.split() for entry in _TABLE.replace("\n", " ").split(","))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


PLAIN = """
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close close_range stat fstat lstat
newfstatat statx access faccessat faccessat2 lseek getdents getdents64 readlink readlinkat getcwd chdir fchdir
mkdir mkdirat rmdir unlink unlinkat rename renameat link linkat symlink symlinkat umask truncate
ftruncate fsync fdatasync sync_file_range utimensat utimes utime futimesat fadvise64 readahead flock
dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait
epoll_pwait epoll_pwait2 eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd4 sendfile
copy_file_range splice tee mmap munmap mremap mprotect madvise msync mincore brk mlock munlock mlock2 membarrier
futex futex_waitv set_robust_list get_robust_list set_tid_address rseq arch_prctl rt_sigaction rt_sigprocmask
rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack restart_syscall kill tgkill tkill pause
alarm setitimer getitimer timer_create timer_settime timer_gettime timer_delete timer_getoverrun clock_gettime
clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage getpid getppid gettid getuid geteuid
getgid getegid getresuid getresgid getgroups getpgid getpgrp getsid getpriority sched_yield sched_getaffinity
sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min getcpu getrlimit uname sysinfo
statfs fstatfs getrandom capget exit exit_group wait4 waitid shutdown getsockname getpeername getxattr lgetxattr
fgetxattr listxattr llistxattr flistxattr
"""

# Fail with ENOSYS as on older kernels, so that the C library falls back to calls whose arguments the filter can check.
ABSENT = """
clone3 openat2 io_uring_setup io_uring_enter io_uring_register memfd_create mbind get_mempolicy set_mempolicy
pidfd_open pidfd_send_signal pidfd_getfd process_madvise landlock_create_ruleset landlock_add_rule
landlock_restrict_self
"""

# Can allocate gigabytes of the host's disk in a millisecond. Fails as on file systems without it, so that the C library
# writes to each block instead, slowly enough for the workspace quota.
UNSUPPORTED = frozenset({"fallocate"})

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # the five instructions used here
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_REFUSE = _ERRNO | errno.EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32_BIT = 0x40000000
_ALL = 0xFFFFFFFF

_SET_ID_BITS = 0o6000  # a file left in the workspace must not run with its owner's rights
_CREATES = 0o100 | 0o20000000  # O_CREAT, __O_TMPFILE: open() uses its mode only with these
_NEW_NAMESPACES = 0x7E020000
_THREAD = 0x00010000
_UNIX, _STREAM = 1, 1
_URGENT = 1  # MSG_OOB
_LEAVES_A_DEVICE = 4  # RENAME_WHITEOUT, which Landlock does not check
_POINTS_BELOW_ZERO = 0x80000000  # sign bit: clock IDs of processes are negative
# Common socket options: type, error, buffer sizes, timeouts. Excludes peer credentials (above all SO_PEERPIDFD, which
# returns a pidfd of the peer) and socket filters, which the kernel compiles to machine code.
_SOCKET_OPTIONS = (2, 3, 4, 7, 8, 9, 13, 18, 19, 20, 21, 30, 38, 39, 66, 67)
_SOCKET, _PROTOCOLS = 1, (0, 6, 41)  # socket pairs have no IP or TCP options, so the kernel itself rejects them


class ArgumentCondition(NamedTuple):
    """A masked argument of a system call must equal this value."""

    argument: int
    mask: int
    value: int


def _one_of(argument: int, *values: int) -> tuple[tuple[ArgumentCondition, ...], ...]:
    """Rows that require the whole 64-bit argument to be one of these values."""
    return tuple((ArgumentCondition(argument, _ALL, value),) for value in values)


def _mode(argument: int) -> tuple[ArgumentCondition, ...]:
    return (ArgumentCondition(argument, _SET_ID_BITS, 0),)


def _options() -> tuple[tuple[ArgumentCondition, ...], ...]:
    own = [(ArgumentCondition(1, _ALL, _SOCKET), ArgumentCondition(2, _ALL, name)) for name in _SOCKET_OPTIONS]
    return (*own, *_one_of(1, *_PROTOCOLS))


def _calm(argument: int) -> tuple[tuple[ArgumentCondition, ...], ...]:
    """Rows that forbid MSG_OOB: urgent data on Unix sockets has been used to exploit the kernel."""
    return ((ArgumentCondition(argument, _URGENT, 0),),)


def _limits(kind: int) -> tuple[tuple[ArgumentCondition, ...], ...]:
    """Rows for every resource limit except RLIMIT_CORE (4): unless it is 1, a crash may start a program of the host."""
    known = ((~3, 0), (~0, 5), (~1, 6), (~7, 8))  # 0 to 3, 5, 6 and 7, 8 to 15
    return tuple((ArgumentCondition(kind, mask & _ALL, value),) for mask, value in known)


_ONLY_ASKED = (ArgumentCondition(2, _ALL, 0),)  # no new value: only reads the limit


# A call is allowed if all conditions of at least one row hold.
CONDITIONAL: dict[str, tuple[tuple[ArgumentCondition, ...], ...]] = {
    "open": (_mode(2), (ArgumentCondition(1, _CREATES, 0),)),
    "openat": (_mode(3), (ArgumentCondition(2, _CREATES, 0),)),
    "creat": (_mode(1),),
    "chmod": (_mode(1),),
    "fchmod": (_mode(1),),
    "fchmodat": (_mode(2),),
    "fchmodat2": (_mode(2),),
    "renameat2": ((ArgumentCondition(4, _LEAVES_A_DEVICE, 0),),),
    "setrlimit": _limits(0),
    "prlimit64": (*_limits(1), _ONLY_ASKED),
    # Threads only: a second process could outlive limits that are counted per process.
    "clone": ((ArgumentCondition(0, _NEW_NAMESPACES | _THREAD, _THREAD),),),
    # Stream pairs only: a socket of a datagram pair can send to any visible socket file.
    "socketpair": ((ArgumentCondition(0, _ALL, _UNIX), ArgumentCondition(1, 0xF, _STREAM)),),
    "sendto": _calm(3),
    "recvfrom": _calm(3),
    "sendmsg": _calm(2),
    "recvmsg": _calm(2),
    "getsockopt": _options(),
    "setsockopt": _options(),
    # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX; above all not TIOCSTI.
    "ioctl": _one_of(1, 0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451),
    # SET_NAME GET_NAME GET_DUMPABLE GET_PDEATHSIG SET_NO_NEW_PRIVS GET_NO_NEW_PRIVS CAPBSET_READ SET_VMA
    "prctl": _one_of(0, 15, 16, 3, 2, 38, 39, 23, 0x53564D41),
    "personality": _one_of(0, 0xFFFFFFFF),
    # Duplicate descriptors, flags, record locks, pipe sizes, seals. Not: owners and signals of files (they reach other
    # processes), leases (they make the host wait for files of the workspace), F_NOTIFY (it watches other folders).
    "fcntl": _one_of(1, 0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1033, 1034),
}

# Executable memory must be mapped from a file and must not be writable: for runtimes that run without JIT.
_EXECUTES, _ANONYMOUS = 4, 32
_ONLY_FILES_RUN: dict[str, tuple[tuple[ArgumentCondition, ...], ...]] = {
    "mmap": ((ArgumentCondition(2, _EXECUTES, 0),), (ArgumentCondition(3, _ANONYMOUS, 0), ArgumentCondition(2, 2, 0))),
    "mprotect": ((ArgumentCondition(2, _EXECUTES, 0),),),
}

# Without namespaces these calls bypass Landlock: modes, times and attributes of all files of the user.
_BEYOND_LANDLOCK = frozenset({"chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat", "utimes", "utime", "futimesat"})
_BEYOND_LANDLOCK |= {"truncate", "tkill", "get_robust_list", "capget"}
# The same, but they fail with ENOTSUP as on file systems without attributes, which programs that copy files expect.
_ATTRIBUTES = frozenset(["getxattr", "lgetxattr", "listxattr", "llistxattr"])
_ACCESS, _TRUNCATES = 0b11, 0o1000


@functools.cache
def filter_program(machine: str = "", alone: int = 0, starts: bool = False) -> bytes:
    """Build the filter as BPF instructions of eight bytes each.

    `alone`: the process shares its PID namespace with the host, and may address only its own process ID, this number.
    `starts`: the process executes another program with execve.
    """
    machine = machine or os.uname().machine
    known = numbers(machine)
    conditional = {**CONDITIONAL, **(_for_itself(alone) if alone else {}), **(_ONLY_FILES_RUN if starts else {})}
    refused = {*conditional, *(_BEYOND_LANDLOCK | _ATTRIBUTES if alone else ())}
    answers = {known[name]: _ERRNO | errno.ENOSYS for name in ABSENT.split() if name in known}
    answers |= {known[name]: _ERRNO | errno.ENOTSUP for name in UNSUPPORTED | _ATTRIBUTES & refused}
    for name in (*PLAIN.split(), *["execve"] * starts):
        if name in known and name not in refused:
            answers[known[name]] = _ALLOW
    code = _prologue(ARCHITECTURES[machine])
    for name, rows in conditional.items():
        if name in known and not (alone and name in _BEYOND_LANDLOCK):
            code += _guarded(known[name], rows)
    return b"".join([*code, *_by_halves(_ranges(answers))])


def _ranges(answers: dict[int, int]) -> list[tuple[int, int]]:
    """First numbers of ranges with the same answer. Calls that are not listed are refused."""
    found = [(0, answers.get(0, _REFUSE))]
    for number in range(1, max(answers) + 2):
        answer = answers.get(number, _REFUSE)
        if answer != found[-1][1]:
            found.append((number, answer))
    return found


def _by_halves(ranges: list[tuple[int, int]]) -> list[bytes]:
    """Build a binary search over the ranges.

    At installation the kernel evaluates the filter for every call number, so a linear chain would be slow.
    """
    if len(ranges) == 1:
        return [_instruction(_RETURN, ranges[0][1])]
    half = len(ranges) // 2
    lower, upper = _by_halves(ranges[:half]), _by_halves(ranges[half:])
    return [_jump(_AT_LEAST, ranges[half][0], len(lower), 0), *lower, *upper]


def _for_itself(process: int) -> dict[str, tuple[tuple[ArgumentCondition, ...], ...]]:
    """Rows that restrict calls to the process itself.

    They allow no signals to other processes, no limits and no information of others, and no truncation of files opened
    for reading, which Landlock versions 1 and 2 permit.
    """
    own, asked = _one_of(0, process), _one_of(0, 0, process)
    common_clock = ((ArgumentCondition(0, _POINTS_BELOW_ZERO, 0),),)
    safe = [(0, _TRUNCATES)] + [(way, _ACCESS) for way in (1, 2)]
    return {
        "kill": own,
        "tgkill": own,
        "prlimit64": tuple((*who, *row) for who in asked for row in CONDITIONAL["prlimit64"]),
        **dict.fromkeys(("getpgid", "getsid", "sched_getaffinity", "sched_getparam", "sched_getscheduler"), asked),
        "getpriority": _one_of(1, 0),
        **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep", "timer_create"), common_clock),
        "open": tuple((*row, ArgumentCondition(1, mask, value)) for row in CONDITIONAL["open"] for value, mask in safe),
        "openat": tuple(
            (*row, ArgumentCondition(2, mask, value)) for row in CONDITIONAL["openat"] for value, mask in safe
        ),
    }


def _prologue(architecture: int) -> list[bytes]:
    return [
        _instruction(_LOAD, _ARCHITECTURE),
        _jump(_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _jump(_AT_LEAST, _X32_BIT, 0, 1),
        _instruction(_RETURN, _KILL),
    ]


def _guarded(number: int, rows: tuple[tuple[ArgumentCondition, ...], ...]) -> list[bytes]:
    """Instructions for one system call and its rows.

    They expect the call's number in the accumulator and overwrite it.
    """
    body: list[bytes] = []
    for row in rows:
        body += _row(row)
    body.append(_instruction(_RETURN, _REFUSE))
    return [_jump(_EQUAL, number, 0, len(body)), *body]


def _row(row: tuple[ArgumentCondition, ...]) -> list[bytes]:
    """Instructions for one row: allow if all conditions hold, otherwise jump past the row."""
    steps: list[tuple[int, int, int]] = []  # kind, value, 1 where a mismatch jumps past the row
    for condition in row:
        low = _ARGUMENTS + 8 * condition.argument
        if condition.mask == _ALL:
            steps += [(_LOAD, low + 4, 0), (_EQUAL, 0, 1)]
        steps += [(_LOAD, low, 0), (_AND, condition.mask, 0), (_EQUAL, condition.value, 1)]
    length = len(steps) + 1
    code = [
        _jump(kind, value, 0, length - at - 1) if leaves else _instruction(kind, value)
        for at, (kind, value, leaves) in enumerate(steps)
    ]
    return [*code, _instruction(_RETURN, _ALLOW)]


def _instruction(kind: int, value: int) -> bytes:
    return struct.pack("=HBBI", kind, 0, 0, value)


def _jump(kind: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", kind, if_true, if_false, value)
