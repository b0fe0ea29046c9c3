"""What a person is shown, and the audit keeps, of a call's arguments: masked, and short enough for a list.

A call is shown where it begins, where it is sent and where it is answered. Its arguments are masked anew only when the
session has learnt something meanwhile.
"""

from __future__ import annotations

import json
from itertools import islice

from workbench.privacy.pii_tokens import cut_before
from workbench.records import JsonObject, JsonValue
from workbench.runs.sessions import Session

LONGEST_KEY = 400  # characters of a key that the audit keeps
KEPT_LEAVES = 500  # values of a call's arguments that are looked at for the audit
KEPT_ARGUMENTS = 4_000  # characters of a call's arguments that the audit keeps
_AT_ONCE = 64  # calls whose arguments are remembered: as many as one program makes at a time
_written = json.JSONEncoder(ensure_ascii=False, default=str).encode


def shown_arguments(session: Session, arguments: JsonObject) -> str:
    """Arguments as JSON text with tokens in place of personal data, short enough for a list. Only what can be shown
    is looked at: a program may pass megabytes, ten thousand times."""
    if not arguments:
        return "{}"
    remembered = session.shown.get(id(arguments))
    if remembered is not None and remembered[0] is arguments and remembered[1] == session.hidden_by:
        return remembered[2]
    left = [KEPT_LEAVES]
    text = _cut(_written(session.mask_json(_beginning(dict(arguments), session, left))))
    if left[0] > 0 and "…" not in text:  # else they may be megabytes, which nobody should hold on to
        if len(session.shown) >= _AT_ONCE:
            session.shown.clear()
        session.shown[id(arguments)] = (arguments, session.hidden_by, text)
    return text


def _cut(text: str) -> str:
    return text if len(text) <= KEPT_ARGUMENTS else text[: cut_before(text, KEPT_ARGUMENTS)] + " …"


def _beginning(value: JsonValue, session: Session, left: list[int]) -> JsonValue:
    """The value up to so many leaves, and of a long text its beginning."""
    left[0] -= 1
    if isinstance(value, str) and len(value) > KEPT_ARGUMENTS:
        return f"{session.mask_start(value, KEPT_ARGUMENTS)} … ({len(value):,} characters)"
    if isinstance(value, list):
        return [_beginning(item, session, left) for item in value[: max(0, left[0])] if left[0] > 0]
    if isinstance(value, dict):
        some = islice(value.items(), max(0, left[0]))
        return {
            session.mask_start(key, LONGEST_KEY): _beginning(item, session, left) for key, item in some if left[0] > 0
        }
    return value
