"""Formats the answer of a run for the model: printed text, result and pictures, or the fault, cut to the token budget
with a notice.

Pictures in a result are sent as pictures, and the text says where each of them was: as base64 text they would cost a
model a hundred times as many tokens, and the model could not see them.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable, Sequence
from difflib import unified_diff

from workbench.broker.picture_metadata import split_picture
from workbench.privacy.pii_tokens import cut_after, cut_before
from workbench.privacy.public_texts import PublicTexts
from workbench.privacy.text_kinds import Part, TextKind
from workbench.records import Content, JsonValue, Origin, Run, RunState
from workbench.tokens import count

_STEPS = (200, 100, 50, 20, 10, 5, 3, 1)  # list items to keep; the first number that fits the budget is used
_PLACE = re.compile(r"^line \d+: ", re.MULTILINE)
_STRINGS = (4_000, 1_000, 300, 100)  # characters to keep of long strings
_AROUND = 2  # unchanged lines shown around changed ones
_CALLS = 10  # changed calls that an answer shows
_COMPARED, _SHOWN, _LINE = 1_000, 120, 300  # compared lines; shown lines of the difference; characters of a line


# What the author requested → its name in answers, and the sentence for a denied one.
WISHES = {
    "program": ("The program", "The program was not run."),
    "skill": ("The skill", "The skill was not run."),
    "call": ("The call", "The call was not made."),
    "file": ("Writing the file", "The file was not written."),
}
WITHOUT_PROGRAM = frozenset({"call", "file"})  # the workbench wrote the program, for one tool call or one file


def compose(run: Run) -> str:
    """Return the complete answer, before masking and cutting."""
    return "".join(text for text, _ in compose_parts(run))


def compose_parts(run: Run) -> tuple[Part, ...]:
    """Return the complete answer in parts: text of the workbench and text of the program."""
    return (*_edited(run), *_changed_calls(run), *_answer(run))


def beginning(parts: Sequence[Part], letters: int) -> tuple[Part, ...]:
    """Return the first `letters` characters of a composed text."""
    found: list[Part] = []
    for text, kind in parts:
        found.append((text[: cut_before(text, letters)] if len(text) > letters else text, kind))
        if (letters := letters - len(text)) <= 0:
            break
    return tuple(found)


def _edited(run: Run) -> tuple[Part, ...]:
    """Return a notice with the changes that the user made to an agent's program, so that the agent does not take the
    answer for that of its own text."""
    proposal = run.proposal
    if proposal.origin is not Origin.AGENT or not proposal.original or proposal.original == proposal.code:
        return ()
    ran = "before it ran. This is the answer of the changed program" if run.started else "while it waited for approval"
    changes = _difference(proposal.original.splitlines(), proposal.code.splitlines())
    words = f"The user changed your program {ran}. Changed lines (- yours, + the user's):\n"
    return (words, TextKind.FIXED), (f"```diff\n{changes}\n```", TextKind.DATA), ("\n\n", TextKind.FIXED)


def _changed_calls(run: Run) -> tuple[Part, ...]:
    """Return a notice with the calls whose arguments the user changed before they were sent."""
    if run.proposal.origin is not Origin.AGENT or not run.changed_calls:
        return ()
    parts: list[Part] = []
    for one in run.changed_calls[:_CALLS]:
        changes = _difference(one.before.splitlines(), one.after.splitlines())
        name = f"{one.server}.{one.tool}"
        words = f"The user changed the arguments of this call before it was sent (- yours, + the user's): {name}\n"
        parts += [(words, TextKind.PUBLIC), (f"```diff\n{changes}\n```", TextKind.DATA), ("\n\n", TextKind.FIXED)]
    if more := len(run.changed_calls) - _CALLS:
        parts += [(f"The user changed {more:,} more calls.\n\n", TextKind.FIXED)] if more > 0 else []
    return tuple(parts)


def _difference(before: list[str], after: list[str]) -> str:
    """Return a unified diff. Equal lines at both ends are removed first, because comparing takes quadratic time."""
    head = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    head = min(len(before), len(after)) if head is None else head
    left = min(len(before), len(after)) - head
    tail = next((at for at in range(left) if before[-1 - at] != after[-1 - at]), left)
    first = max(0, head - _AROUND)
    one, other = (lines[first : len(lines) - max(0, tail - _AROUND)] for lines in (before, after))
    if max(len(one), len(other)) > _COMPARED:
        return f"@@ line {head + 1} @@\n{len(before) - head - tail:,} lines became {len(after) - head - tail:,}"
    found = list(unified_diff(one, other, n=_AROUND, lineterm=""))[2:]
    shown = [_placed(line, first) if line.startswith("@@") else line[:_LINE] for line in found[:_SHOWN]]
    more = len(found) - len(shown)
    return "\n".join([*shown, *([f"… {more:,} more lines"] if more else [])])


def _placed(line: str, first: int) -> str:
    """Rewrite a hunk header so that it counts from the first line of the program."""
    return re.sub(r"([-+])(\d+)", lambda match: f"{match[1]}{int(match[2]) + first}", line)


def _answer(run: Run) -> tuple[Part, ...]:
    if run.state is RunState.DONE:
        return (_done(run),)
    fault = run.fault
    subject, refused = WISHES[run.proposal.wish]
    if run.proposal.wish in WITHOUT_PROGRAM:
        return _without_program(run, subject, refused)
    words = {
        RunState.REFUSED: refused,
        RunState.STOPPED: f"{subject} was stopped." if run.started else refused,
        RunState.INTERRUPTED: f"{subject} was interrupted.",
    }.get(run.state, f"{subject} failed.")
    parts: list[Part] = [(words, TextKind.FIXED)]
    if fault:
        kind = TextKind.PUBLIC if fault.ours else TextKind.DATA
        message = f"{fault.message}\n\n{fault.detail}" if fault.detail else fault.message
        parts += [(" ", TextKind.FIXED), (message, kind)]
        if fault.hint:
            parts.append((f"\n\nHint: {fault.hint}", TextKind.PUBLIC))
    if run.output:
        parts += [("\n\nPrinted before that:\n", TextKind.FIXED), (run.output.rstrip(), TextKind.DATA)]
    return tuple(parts)


def _without_program(run: Run, subject: str, refused: str) -> tuple[Part, ...]:
    """Return the answer for an author who sent no program: without program lines, traceback or advice about writing
    programs."""
    fault = run.fault
    words = {RunState.STOPPED: "was stopped", RunState.INTERRUPTED: "was interrupted"}.get(run.state, "failed")
    first = refused if run.state is RunState.REFUSED else f"{subject} {words}."
    if fault is None:
        return ((first, TextKind.FIXED),)
    kind = TextKind.PUBLIC if fault.ours else TextKind.DATA
    if run.state is RunState.REFUSED and fault.detail:
        return (first + " ", TextKind.FIXED), (_PLACE.sub("", fault.detail), kind)
    told = ((first + " ", TextKind.FIXED), (fault.message.removeprefix("ToolError: "), kind))
    if run.state is not RunState.REFUSED or not fault.hint:
        return told
    return *told, (f"\n\nHint: {fault.hint}", TextKind.PUBLIC)


def cut(text: str, budget: int, pointer: str) -> str:
    """Cut a text to the token budget; a notice says how much is missing and where the complete text is."""
    whole = count(text)
    if whole <= budget:
        return text
    notice = f"[cut: about {budget:,} of {whole:,} tokens are shown; {pointer}]"
    keep = max(200, int(len(text) * budget / whole * 0.9))
    head, tail = text[: cut_before(text, keep * 3 // 4)], text[cut_after(text, len(text) - keep // 4) :]
    return f"{head}\n… {notice} …\n{tail}"


def shorten(value: JsonValue, budget: int, public: PublicTexts | None = None) -> JsonValue:
    """Return a smaller value of the same shape: long lists lose their middle, and a count replaces what is removed.
    What remains of a public text stays marked as public."""
    for items in _STEPS:
        for letters in _STRINGS:
            smaller = _shorten(value, items, letters, public)
            if count(json.dumps(smaller, ensure_ascii=False)) <= budget:
                return smaller
    return smaller


def _shorten(value: JsonValue, items: int, letters: int, public: PublicTexts | None) -> JsonValue:
    if isinstance(value, str) and len(value) > letters:
        shorter = f"{value[: cut_before(value, letters)]}… ({len(value) - letters:,} more characters)"
        if public is not None and public.has(value):
            public.add(shorter)
        return shorter
    if isinstance(value, list):
        kept = [_shorten(item, items, letters, public) for item in value[:items]]
        return [*kept, f"… {len(value) - items:,} more items"] if len(value) > items else kept
    if isinstance(value, dict):
        kept_keys = dict(list(value.items())[: items * 5])
        smaller = {key: _shorten(item, items, letters, public) for key, item in kept_keys.items()}
        return smaller | ({"…": f"{len(value) - len(kept_keys):,} more keys"} if len(kept_keys) < len(value) else {})
    return value


def _done(run: Run) -> Part:
    parts = []
    if run.output:
        parts.append(run.output.rstrip())
    if run.result and run.result != "null":
        parts.append(f"result = {run.result}")
    if parts:
        return "\n".join(parts), TextKind.DATA
    if run.proposal.wish == "call":
        return "The tool returned no result.", TextKind.FIXED
    words = f"{WISHES[run.proposal.wish][0]} finished; it printed nothing and set no result."
    return words, TextKind.FIXED


MOST = 8  # pictures sent with one answer
LARGEST = 3_500_000  # bytes of one picture; as base64 it stays below the limit of common models
TOGETHER = 10_000_000  # bytes of all pictures of one answer
_POINTS = 750  # pixels of a picture that cost a model one token
_COSTLIEST = 1_600  # tokens of the largest picture; models scale larger ones down
KEEP = ".save(path) writes it to the workspace"
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def extract_pictures(result: str, refusal: Callable[[bytes], str]) -> tuple[str, tuple[Content, ...]]:
    """Replace pictures and other bytes in a result with text, and return the pictures that may be sent. `refusal`
    returns why a picture may not be sent, or an empty text."""
    if '"data"' not in result and '"blob"' not in result:
        return result, ()
    try:
        album = _PictureCollector(refusal)
        value = album.replace_bytes(json.loads(result))
        return (json.dumps(value, ensure_ascii=False), tuple(album.pictures)) if album.has_bytes else (result, ())
    except (ValueError, RecursionError):
        return result, ()


def picture_tokens(pictures: Sequence[Content]) -> int:
    """Estimate the model tokens of pictures: one per 750 pixels; models scale larger pictures down first."""
    return sum(_picture_tokens(base64.b64decode(one.data[:64])) for one in pictures)


def _picture_tokens(head: bytes) -> int:
    width: int
    height: int
    if head.startswith(b"\x89PNG") and len(head) >= 24:
        width, height = struct.unpack_from(">II", head, 16)
    elif head.startswith(b"GIF8") and len(head) >= 10:
        width, height = struct.unpack_from("<HH", head, 6)
    else:
        return _COSTLIEST
    return max(1, min(_COSTLIEST, width * height // _POINTS))


class _PictureCollector:
    """Collects the pictures found in one value."""

    def __init__(self, refusal: Callable[[bytes], str]) -> None:
        self._refusal = refusal
        self.pictures: list[Content] = []
        self.has_bytes = False
        self._bytes = 0

    def replace_bytes(self, value: JsonValue) -> JsonValue:
        """Return the value with text in place of bytes."""
        if isinstance(value, list):
            return [self.replace_bytes(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.get("type") in ("image", "audio") and _are_texts(value, "mimeType", "data"):
            return value | {"data": self._describe_bytes(value["type"], value["data"])}
        if _are_texts(value, "uri", "blob"):
            return value | {"blob": self._describe_bytes("resource", value["blob"])}
        return {key: self.replace_bytes(item) for key, item in value.items()}

    def _describe_bytes(self, kind: str, text: str) -> str:
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return text  # not base64: it stays text
        self.has_bytes = True
        data = split_picture(data).bare  # metadata such as author, place and preview is removed
        reason = self._refusal_reason(kind, data)
        if reason:
            return f"{len(data):,} bytes, not shown here: {reason}; {KEEP}"
        self._bytes += len(data)
        self.pictures.append(Content("image", mime=_kind_of(data), data=base64.b64encode(data).decode()))
        return f"picture {len(self.pictures)} of this answer, {len(data):,} bytes"

    def _refusal_reason(self, kind: str, data: bytes) -> str:
        if kind != "image":
            return "only pictures are sent"
        if not _kind_of(data):
            return "it is not a PNG, JPEG, GIF or WebP picture"
        if len(data) > LARGEST:
            return f"it is larger than {LARGEST:,} bytes"
        if len(self.pictures) >= MOST or self._bytes + len(data) > TOGETHER:
            return "the pictures of this answer are too many or too large"
        return self._refusal(data)


def _are_texts(value: dict[str, JsonValue], *keys: str) -> bool:
    return all(isinstance(value.get(key), str) for key in keys)


def _kind_of(data: bytes) -> str:
    """Detect the type from the first bytes; the declared type is not trusted."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _KINDS.items() if data.startswith(magic)), "")
