"""PII tokens in the text of a program: tells the sandbox where their values are in what the program receives.

In the sandbox, a token in the text compares equal to its value as soon as the program has received the value. The core
sends no value, only its place in an answer, a file or a variable, so a program learns nothing that it does not hold.
A place would answer a guess if programs could choose the text that is searched. So only what the program may read
where the value came from counts: answers of the server that supplied it, workspace files, and variables of the REPL
session. Sealed values are never searched for.
"""

from __future__ import annotations

import ast
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeAlias

from workbench.analysis.reading import PYTHON, ComparedText, Reading
from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.permissions.call_rules import ToolRules
from workbench.permissions.judgement import foresee
from workbench.permissions.tool_annotations import facts_of, needs_no_approval
from workbench.privacy.detectors.json_fields import as_text
from workbench.privacy.detectors.kinds import LITERAL, SEALED
from workbench.privacy.pii_tokens import is_token_shaped, tokens_in
from workbench.privacy.value_store import StoredValue
from workbench.records import CallDecision, JsonObject, JsonValue, Place
from workbench.runs.answer_view import WITHOUT_PROGRAM
from workbench.runs.run import ProgramRun
from workbench.runs.workspace_file_masking import LARGEST, TOGETHER
from workbench.sandbox.inside.token_literals import digest_of
from workbench.sandbox.program import Answered, JsonText, PathStep

MOST: Final = 200  # tokens of one program whose values are searched for
_LISTED: Final = 8  # sentences in one answer
FoundToken = tuple[str, tuple[PathStep, ...], int, int]  # token, path of the text with its value, begin and end in it


class TokenLiterals:
    """The tokens in the text of one run's program."""

    def __init__(self, run: ProgramRun) -> None:
        self._run = run
        self._missing: dict[str, StoredValue] = {}  # tokens whose value the program has not received
        # token → the call that supplied its value first, before this run; None if no server did
        self._suppliers: dict[str, Place | None] = {}
        self._located: set[str] = set()
        session = run.session
        for text in _compared_tokens(run.reading)[:MOST] if run.reading is not None else ():
            held = session.vault.read(text)
            if held is not None and not _stays_token(session, text, held):
                self._missing[text] = held
                self._suppliers[text] = _supplier(session, held)

    def __bool__(self) -> bool:
        """Whether a value is still to be found."""
        return bool(self._missing)

    def locate(self, rules: ToolRules, answer: Answered) -> Answered:
        """Return the answer of a tool with the places of the values that are in it, for the sandbox."""
        if not isinstance(answer, str | JsonText) or rules.lost or rules.looks_into_arguments:
            return answer
        text, server = answer if isinstance(answer, str) else answer.text, rules.tool.server
        wanted = {
            token: held
            for token, held in tuple(self._missing.items())
            if (self._suppliers[token] or _NOWHERE).server == server
            and any(spelled in text for spelled in _spellings(held.text))
        }
        if not wanted:
            return answer
        found = _find_all(answer if isinstance(answer, str) else json.loads(answer.text), wanted)
        self._note(token for token, *_ in found)
        if isinstance(answer, JsonText):
            return replace(answer, tokens=found)
        return JsonText(json.dumps(answer, ensure_ascii=False), tokens=found)

    def hints(self) -> JsonObject:
        """Return where the program finds values that it can read without a tool: in a file of the workspace, or in a
        variable of its REPL session."""
        hints: dict[str, JsonValue] = {}
        readable = {token: held for token, held in self._missing.items() if self._may_read(token)}
        for token, held in readable.items():
            if self._is_in_variable(held, self._suppliers[token]):
                salt = secrets.token_bytes(16)
                hints[token] = {"salt": salt.hex(), "digest": digest_of(salt, held.text), "length": len(held.text)}
        for path, text in self._files() if readable else ():
            for token, held in readable.items():
                own = path in self._run.session.created_files and self._suppliers[token] is None
                if token not in hints and not own and (at := text.find(held.text)) >= 0:
                    hints[token] = {"file": path, "start": at, "end": at + len(held.text)}
        self._note(hints)
        return hints

    def notices(self) -> str:
        """Return sentences for the author about tokens in the text that are unknown, and about comparisons that did
        not compare the value of a token."""
        reading, session = self._run.reading, self._run.session
        if reading is None or not session.masks_personal_data:
            return ""
        alone = self._run.record.proposal.wish not in WITHOUT_PROGRAM
        lines: dict[str, None] = {}
        for token, line in _tokens_of(reading):
            if why := session.vault.why_unknown(token):
                lines[f"line {line}: {why}" if alone else why] = None
        written = {text.casefold() for text, _ in reading.literals}
        for one in reading.compared if alone else ():
            for token in tokens_in(one.text):
                if why := self._why_not_compared(one, token, written):
                    lines[f"line {one.span.line}: {why}"] = None
        if reading.language != PYTHON:
            for token, line in _script_comparisons(reading.program.text):
                held = session.vault.read(token)
                if held is not None and not _stays_token(session, token, held):
                    cure = f'use await equal(value, "{token}") from ./client.'
                    lines[f"line {line}: {token} is compared as text here. To compare the value, {cure}"] = None
        return "\n".join([*lines][:_LISTED])

    def restore_unknown(self, view: str) -> str:
        """Return the answer with unknown tokens of the program's text as its author wrote them. Masking replaces them
        by `[LITERAL_1.…]`, so an error would name a token that the author never wrote."""
        reading, vault = self._run.reading, self._run.session.vault
        if reading is None or not self._run.session.masks_personal_data:
            return view
        text = reading.program.text
        return vault.restore_literals(view, {token for token in tokens_in(text) if vault.why_unknown(token)})

    def _note(self, tokens: Iterable[str]) -> None:
        for token in tokens:
            self._located.add(token.casefold())
            self._missing.pop(token, None)  # answers of parallel calls are searched on threads
            self._run.recording.drop("its program compares tokens, which stand for no value in another session")

    def _may_read(self, token: str) -> bool:
        """Whether the program may call the tool that supplied the value first without asking, and the tool is not
        sealed."""
        place, services, verdict = self._suppliers[token], self._run.services, self._run.record.verdict
        if place is None:
            return True
        try:
            tool = services.catalog.tool(place.server, place.tool)
            blocked = services.catalog.blocked(tool) is not None
        except WorkbenchError:
            return False
        rules = services.rules.rules_for(tool)
        if blocked or verdict is None or rules.looks_into_arguments:
            return False
        if rules.sealed_fields(services.settings().privacy_sealed):
            return False
        judged = foresee(rules, verdict.profile, verdict.required, self._run.session.id).decision
        if judged is None:
            uses = any((use.server, use.tool) == (tool.server, tool.name) for use in verdict.tools)
            return uses or needs_no_approval(facts_of(tool).risk, services.settings())
        return judged is CallDecision.ALLOW

    def _is_in_variable(self, held: StoredValue, supplier: Place | None) -> bool:
        state = self._run.repl_session
        places = self._run.session.vault.places(held.text) if state is not None and supplier is not None else ()
        earlier = state.run_ids if state is not None else set[str]()
        return any(one.run_id in earlier and one.server == (supplier or _NOWHERE).server for one in places)

    def _files(self) -> Iterator[tuple[str, str]]:
        """Path and text of the workspace files that the program sees."""
        verdict, store, left = self._run.record.verdict, self._run.services.workspace_files, TOGETHER
        if verdict is None or (verdict.profile is not None and verdict.profile.workspace == "none"):
            return
        for info in sorted(store.list(), key=lambda info: -info.changed):
            if info.size <= min(LARGEST, left):
                left -= info.size
                with suppress(WorkbenchError):  # not a text file, or deleted meanwhile
                    yield info.path, store.read(info.path)

    def _why_not_compared(self, one: ComparedText, token: str, written: set[str]) -> str:
        """Return why a comparison did not compare the value of a token; empty if it did."""
        session = self._run.session
        held = session.vault.read(token)
        if held is None or _stays_token(session, token, held):
            return ""  # it was named as unknown, or the program's data has the same token
        cure = _cure(session, token)
        if one.text != token or token.casefold() not in written:
            return f"{token} is compared as text here, because it is part of a longer text or put together. {cure}"
        if not one.restores:
            return f"{token} is used as text here, not as the value that it stands for. {cure}"
        if token.casefold() not in self._located:
            where = self._expected_place(token)
            return f"{token} is compared as text here, because its value was not found {where} {cure}"
        return ""

    def _expected_place(self, token: str) -> str:
        """Say where a program must read the value of a token to compare it."""
        place = self._suppliers.get(token)
        if place is None:
            return "in what the program read."
        source = f"{place.server}.{place.tool}" if place.tool else place.server
        return (
            f"in this program's answers of {place.server}, where it comes from. Read it with {source} in the same"
            " program, and the token equals it in all answers."
        )


_NOWHERE: Final = Place("", "")


def _compared_tokens(reading: Reading) -> list[str]:
    """Return the tokens that are literals of a program and may be compared; not those that only a call sends. Functions
    of earlier programs of its REPL session may compare theirs too."""
    compared = {one.text for one in reading.compared}
    shaped = ((text, node) for text, node in reading.literals if is_token_shaped(text))
    found = [text for text, node in shaped if text in compared or not reading.enclosing_calls(node)]
    earlier = (node.value for node in reading.earlier_nodes if isinstance(node, ast.Constant))
    return [*dict.fromkeys((*found, *(text for text in earlier if isinstance(text, str) and is_token_shaped(text))))]


def _stays_token(session: Session, token: str, held: StoredValue) -> bool:
    """Whether programs hold the token itself instead of its value."""
    return held.kind in (SEALED, LITERAL) or session.sealed.holds(token)


def _supplier(session: Session, held: StoredValue) -> Place | None:
    """Return the call whose answer contained the value first."""
    places = session.vault.places(held.text)
    if places:
        return places[0]
    return Place(next(iter(held.sources)), "") if held.sources else None


def _cure(session: Session, token: str) -> str:
    return f'To compare the value, use equal(value, "{session.vault.canonical(token)}") from client.'


def _tokens_of(reading: Reading) -> Iterator[tuple[str, int]]:
    """Yield each text in the literals of a program that is written like a token, with its line."""
    texts = ((text, reading.program.span(node).line) for text, node in reading.literals if "_" in text)
    if reading.language != PYTHON:
        texts = ((text, number) for number, text in enumerate(reading.program.text.split("\n"), 1))
    for text, line in texts:
        for token in tokens_in(text):
            if is_token_shaped(token):
                yield token, line


_COMPARES: Final = re.compile(r"[!=]==?|\b(?:includes|indexOf|startsWith|endsWith|get|has|case|find|search|match)\b")


def _script_comparisons(text: str) -> Iterator[tuple[str, int]]:
    """Yield the tokens in lines of a TypeScript program that compare, with the line. Scripts are not parsed."""
    for number, line in enumerate(text.split("\n"), 1):
        for token in tokens_in(line) if _COMPARES.search(line) else ():
            yield token, number


def _spellings(text: str) -> set[str]:
    """Return a text as it may be written in JSON."""
    return {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


def _find_all(value: JsonValue, wanted: Mapping[str, StoredValue]) -> tuple[FoundToken, ...]:
    """Return each token whose value is in an answer, with one place of the value."""
    missing, found = dict(wanted), []
    shortest = min(len(held.text) for held in wanted.values())
    numbers = any(held.number is not None for held in wanted.values())
    left: list[tuple[_Link | None, JsonValue]] = [(None, value)]
    while left and missing:
        link, part = left.pop()
        if isinstance(part, dict):
            left += [((link, key), inner) for key, inner in part.items()]
            left += [((link, [number]), key) for number, key in enumerate(part)]
        elif isinstance(part, list):
            left += [((link, number), inner) for number, inner in enumerate(part)]
        elif len(part) >= shortest if isinstance(part, str) else numbers and part is not None:
            here = [(token, *place) for token, held in missing.items() if (place := _place_in(part, held)) is not None]
            for token, start, end in here:
                del missing[token]
                found.append((token, _path(link), start, end))
    return tuple(found)


def _place_in(part: JsonValue, held: StoredValue) -> tuple[int, int] | None:
    if isinstance(part, str):
        at = part.find(held.text)
        return (at, at + len(held.text)) if at >= 0 else None
    return (0, 0) if held.number is not None and as_text(part) == held.text else None


_Link: TypeAlias = tuple[Any, PathStep]  # Any: the link of the step before, or None


def _path(link: _Link | None) -> tuple[PathStep, ...]:
    steps: list[PathStep] = []
    while link is not None:
        link, step = link
        steps.append(step)
    return tuple(reversed(steps))
