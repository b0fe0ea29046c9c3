"""Compares the observed effects of a run with the effects that its verdict predicted.

The caller collects the observations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final, TypeAlias

from msgspec import Struct, field

from workbench.records import Observation, Verdict

Times: TypeAlias = Mapping[str, tuple[int, int]]  # subject → (times it happened, times it was refused)
UNKNOWN: Final = "…"  # unknown part of a subject
_WRITES: Final = frozenset(
    {"file.write", "file.folder", "file.copy", "file.move", "file.link", "file.temporary", "file.permissions"}
)
_DELETES: Final = frozenset({"file.delete", "file.move"})
_MENTION: Final = ".mention"
_MOST: Final = 200  # maximum number of compared effects; unpredicted ones come first
_INSIDE: Final = ("/bench/", "./")  # how a program may write its start folder


class ObservedEffects(Struct, frozen=True):
    """What one run did: tools, hosts and files."""

    tools: Times = field(default_factory=dict)
    hosts: Times = field(default_factory=dict)
    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def compare_effects(verdict: Verdict, seen: ObservedEffects, *, read: bool = True) -> tuple[Observation, ...]:
    """Return every predicted or observed effect, the unpredicted ones first.

    `read`: the text was analyzed; otherwise files and hosts cannot have been predicted."""
    lines = (*_tools(verdict, seen), *_hosts(verdict, seen, read), *_files(verdict, seen, read))
    return tuple(sorted(lines, key=lambda one: not one.unforeseen)[:_MOST])


def _tools(verdict: Verdict, seen: ObservedEffects) -> Iterator[Observation]:
    predicted_lines = {f"{use.server}.{use.tool}": use.line for use in reversed(verdict.tools)}
    for name in {**predicted_lines, **seen.tools}:
        times, refused = seen.tools.get(name, (0, 0))
        yield Observation("tool", name, name in predicted_lines, times, refused, predicted_lines.get(name, 0))


def _hosts(verdict: Verdict, seen: ObservedEffects, read: bool) -> Iterator[Observation]:
    predicted_lines = {one.subject: one.span.line for one in verdict.findings if one.rule.split(".")[0] == "network"}
    named = {place.rpartition(":")[0] for place in verdict.hosts} | set(predicted_lines)
    anywhere = any(not subject or UNKNOWN in subject for subject in predicted_lines)
    for place in {**dict.fromkeys(verdict.hosts), **seen.hosts}:
        times, refused = seen.hosts.get(place, (0, 0))
        host = place.rpartition(":")[0]
        predicted = (host in named or anywhere) if read else None
        yield Observation("host", place, predicted, times, refused, predicted_lines.get(host, 0))


def _files(verdict: Verdict, seen: ObservedEffects, read: bool) -> Iterator[Observation]:
    for kind, rules, found in (("written", _WRITES, seen.written), ("deleted", _DELETES, seen.deleted)):
        predicted_lines = dict(_predicted_files(verdict, rules))
        met: set[str] = set()
        for path in found:
            fitting = [subject for subject in predicted_lines if _fits(path, subject)]
            met.update(fitting)
            predicted = bool(fitting) if read else None
            yield Observation(kind, path, predicted, 1, 0, predicted_lines[fitting[0]] if fitting else 0)
        for subject in predicted_lines.keys() - met:
            yield Observation(kind, subject or UNKNOWN, True, 0, 0, predicted_lines[subject])


def may_write(verdict: Verdict, path: str) -> bool:
    """Return whether the verdict predicts that the program changes, or may change, this workspace path."""
    place = f"workspace/{path}"
    predicted_lines = dict([*_predicted_files(verdict, _WRITES), *_predicted_files(verdict, _DELETES)])
    return any(_fits(place, subject) for subject in predicted_lines)


def _predicted_files(verdict: Verdict, rules: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield the files that the program names, with their lines.

    A mere mention of a changing function could mean any file."""
    for one in verdict.findings:
        rule = one.rule.removesuffix(_MENTION)
        if rule in rules:
            yield (_plain(one.subject) if rule == one.rule else UNKNOWN), one.span.line


def _fits(path: str, subject: str) -> bool:
    """Return whether a file matches a subject, which may have unknown parts or be a parent folder."""
    if not subject or subject == UNKNOWN:
        return True
    pattern = subject.replace("[", "[[]").replace(UNKNOWN, "*")
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"{pattern.rstrip('/')}/*")


def _plain(subject: str) -> str:
    for start in _INSIDE:
        subject = subject.removeprefix(start)
    return subject


def unpredicted_effects(observations: Iterable[Observation]) -> tuple[str, ...]:
    """Return a phrase for each effect that was not predicted."""
    words = {
        "tool": "called {}", "host": "tried to contact {}", "written": "wrote {}", "deleted": "deleted {}"
    }  # fmt: skip
    return tuple(words[one.kind].format(one.subject) for one in observations if one.unforeseen)
