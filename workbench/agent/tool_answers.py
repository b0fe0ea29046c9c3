"""What a tool of the door answers: words for the model, the same in parts for a client that reads structure."""

from __future__ import annotations

from collections.abc import Sequence

import mcp.types as T
from msgspec import Struct, field

from workbench.privacy.pii_tokens import cut_before
from workbench.privacy.text_kinds import KindMarks, TextKind
from workbench.records import Content, JsonObject
from workbench.tokens import count

LETTERS = 4  # of a token, at most: a slice is first cut to this many, then to its tokens


class ToolAnswer(Struct, frozen=True):
    """Before it becomes the protocol's."""

    text: str
    facts: JsonObject = field(default_factory=dict)  # beside the text, by the tool's output schema
    pictures: Sequence[Content] = ()
    failed: bool = False
    kind: TextKind = TextKind.DATA  # of the text and the facts: how they are looked through when they leave
    note: str = ""  # our own constant sentences after the text


def told(answer: ToolAnswer, marks: KindMarks, *, structured: bool = True) -> T.CallToolResult:
    """Text first, pictures after it; the text stands in the structure too, since some clients show only that."""
    images = [T.ImageContent(data=one.data, mime_type=one.mime) for one in answer.pictures]
    text = marks.mark(answer.text, answer.kind) + marks.mark(answer.note, TextKind.FIXED)
    facts = {"text": text, **{name: marks.mark_json(one, answer.kind) for name, one in answer.facts.items()}}
    return T.CallToolResult(
        content=[T.TextContent(text=text), *images],
        structured_content=facts if structured else None,
        is_error=answer.failed,
    )


def sliced(text: str, offset: int, budget: int, how: str) -> ToolAnswer:
    """The part of a masked text that begins at this character and fits into so many tokens; `how` reads on."""
    start = max(0, min(offset, len(text)))
    end = cut_before(text, min(len(text), start + budget * LETTERS))
    while (tokens := count(text[start:end])) > budget and end - start > 1:
        end = cut_before(text, start + max(1, int((end - start) * budget / tokens * 0.95)))
    facts: JsonObject = {"offset": start, "total": len(text)}
    if (start, end) == (0, len(text)):
        return ToolAnswer(text, facts, kind=TextKind.PUBLIC)
    rest = f"; {how} with offset={end} reads on" if end < len(text) else ""
    words = f"{text[start:end]}\n[characters {start:,} to {end:,} of {len(text):,}{rest}]"
    return ToolAnswer(words, facts, kind=TextKind.PUBLIC)
