"""The interceptors that `mcp-workbench interceptor` offers: one masks and unmasks payloads, one reports findings.

They follow SEP-2624, which is a draft: docs/sep.md of modelcontextprotocol/experimental-ext-interceptors as of July
2026, with its pull requests 24 and 25. The invoker decides about order, blocking and failures; an interceptor declares
defaults (`mode`, `failOpen`) and answers one payload at a time.
"""

from __future__ import annotations

import base64
import re
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from workbench import __version__
from workbench.errors import WorkbenchError
from workbench.privacy.detectors.kinds import plural
from workbench.privacy.masked_documents import MaskedSpan
from workbench.privacy.pii_tokens import kind_of
from workbench.privacy.user_marks import StartRules
from workbench.records import JsonObject, JsonValue
from workbench.text_masking.masking_session import MaskingSession

Phase = Literal["request", "response"]
CALLS: Final = "tools/call"
RESULTS: Final = (CALLS, "resources/read", "prompts/get")  # events whose results are masked
MASK, REPORT = "mask-personal-data", "report-personal-data"
SEVERITIES: Final = ("info", "warn", "error")
_ANY: Final = "*"
_MOST_SESSIONS: Final = 64  # the session that was not used for the longest time is forgotten
_MOST_MESSAGES: Final = 100
_LAST: Final = 50_000  # other interceptors see tokens in requests, and cannot add values to masked responses
_OLDEST_PROTOCOL: Final = "2024-11-05"
_BINARY_TYPES: Final = ("image", "audio")


class Defaults(Struct, frozen=True):
    """What the interceptors declare, which an invoker may override, and the default severity of a finding."""

    mode: str = "active"  # or "audit"
    fail_open: bool = False
    severity: str = "warn"


class Invocation(Struct, frozen=True):
    """One invocation of an interceptor."""

    name: str
    event: str
    phase: Phase
    payload: JsonValue
    config: Mapping[str, JsonValue] = {}
    session: str = ""  # as the invoker names it; tokens are valid in one session


class InvalidInvocation(WorkbenchError):
    """No interceptor has this name, or it does not take this event, phase or configuration."""


class _Session:
    """A masking session that one thread uses at a time."""

    def __init__(self, start: StartRules, name: str) -> None:
        self.masking = MaskingSession(start, name)
        self.lock = threading.Lock()


class MaskingInterceptors:
    """Both interceptors, and a masking session for each session of the invoker."""

    def __init__(self, start: StartRules, defaults: Defaults) -> None:
        self._start = start
        self._defaults = defaults
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._opening = threading.Lock()

    def descriptors(self, event: str | None = None) -> list[JsonObject]:
        """The interceptors as `interceptors/list` returns them, or those that take an event."""
        declared: JsonObject = {
            "version": __version__,
            "hooks": [{"events": [CALLS], "phase": "request"}, {"events": [*RESULTS], "phase": "response"}],
            "mode": self._defaults.mode,
            "failOpen": self._defaults.fail_open,
            "compat": {"minProtocol": _OLDEST_PROTOCOL},
        }
        if event not in (None, _ANY, *RESULTS):
            return []
        mask = (
            "Replaces personal data and secrets in results by tokens, and tokens in arguments of calls by the values."
        )
        report = "Reports personal data and secrets in payloads, without the values. Changes nothing."
        unmask: JsonObject = {"type": "boolean", "default": True, "description": "Put values back into arguments."}
        severity: JsonObject = {"type": "string", "enum": [*SEVERITIES], "default": self._defaults.severity}
        return [
            {
                "name": MASK, "description": mask, "type": "mutation", **declared,
                "priorityHint": _LAST, "configSchema": _schema(unmask=unmask),
            },
            {
                "name": REPORT, "description": report, "type": "validation", **declared,
                "configSchema": _schema(severity=severity),
            },
        ]  # fmt: skip

    def invoke(self, invocation: Invocation) -> JsonObject:
        """The result of an interceptor as `interceptor/invoke` returns it."""
        since = time.perf_counter()
        self._check(invocation)
        result = self._report(invocation) if invocation.name == REPORT else self._mutate(invocation)
        return {
            "interceptor": invocation.name,
            "type": "validation" if invocation.name == REPORT else "mutation",
            "phase": invocation.phase,
            "durationMs": round(1000 * (time.perf_counter() - since), 3),
            **result,
        }

    def _check(self, invocation: Invocation) -> None:
        if invocation.name not in (MASK, REPORT):
            raise InvalidInvocation(f"There is no interceptor {invocation.name!r:.80}.")
        if invocation.event not in (RESULTS if invocation.phase == "response" else (CALLS,)):
            raise InvalidInvocation(
                f"{invocation.name} does not take {invocation.event!r:.80} in the phase {invocation.phase}."
            )
        schema = {MASK: ("unmask", (True, False)), REPORT: ("severity", SEVERITIES)}
        key, allowed = schema[invocation.name]
        unknown = sorted(set(invocation.config) - {key})
        if unknown or invocation.config.get(key, allowed[0]) not in allowed:
            raise InvalidInvocation(f"The configuration is invalid. Allowed is {key!r}: one of {list(allowed)}.")

    def _mutate(self, invocation: Invocation) -> JsonObject:
        session = self._session(invocation.session)
        with session.lock:
            if invocation.phase == "request":
                return _unmasked(session.masking, invocation)
            return _masked(session.masking, invocation.payload)

    def _report(self, invocation: Invocation) -> JsonObject:
        session = MaskingSession(self._start)
        payload = _with_decoded_files(invocation.payload)
        spans = list(session.spans(payload, session.mask(payload)))
        if not spans:
            return {"valid": True}
        severity = str(invocation.config.get("severity", self._defaults.severity))
        messages: list[JsonValue] = [_message(span, severity) for span in spans[:_MOST_MESSAGES]]
        return {"valid": False, "severity": severity, "messages": messages, "info": {"found": _counts(spans)}}

    def _session(self, name: str) -> _Session:
        with self._opening:
            session = self._sessions.pop(name, None) or _Session(self._start, name)
            self._sessions[name] = session
            if len(self._sessions) > _MOST_SESSIONS:
                self._sessions.popitem(last=False)
            return session


def _schema(**properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _masked(session: MaskingSession, payload: JsonValue) -> JsonObject:
    shown = session.mask(_with_decoded_files(payload))
    masked = _with_encoded_files(shown, payload)
    if masked == payload:
        return {"modified": False, "payload": payload}
    kinds = Counter(kind_of(token) for token in session.values(shown))
    return {"modified": True, "payload": masked, "info": {"masked": dict(kinds)}}


def _unmasked(session: MaskingSession, invocation: Invocation) -> JsonObject:
    """The payload of a call with values in place of the tokens in its arguments. Raises for unknown tokens."""
    payload = invocation.payload
    if not invocation.config.get("unmask", True) or not isinstance(payload, dict):
        return {"modified": False, "payload": payload}
    params = payload.get("params")
    call = params if isinstance(params, dict) else payload
    arguments = session.unmask(call.get("arguments"))
    if arguments == call.get("arguments"):
        return {"modified": False, "payload": payload}
    call = {**call, "arguments": arguments}
    return {"modified": True, "payload": {**payload, "params": call} if isinstance(params, dict) else call}


def _decoded(node: Mapping[str, JsonValue], key: str) -> str | None:
    """The text of a file in base64, empty for pictures and other bytes; None for any other value."""
    value = node[key]
    is_file = (key == "blob" and "uri" in node) or (key == "data" and node.get("type") in _BINARY_TYPES)
    if not is_file or not isinstance(value, str):
        return None
    try:
        data = base64.b64decode(value, validate=True)
    except ValueError:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


def _with_decoded_files(value: JsonValue) -> JsonValue:
    """The payload with the text of files in place of their base64."""
    if isinstance(value, dict):
        found = {key: (child, _decoded(value, key)) for key, child in value.items()}
        return {key: _with_decoded_files(child) if text is None else text for key, (child, text) in found.items()}
    return [_with_decoded_files(child) for child in value] if isinstance(value, list) else value


def _with_encoded_files(masked: JsonValue, original: JsonValue) -> JsonValue:
    """The masked payload with files in base64 as in the original, those with masked values encoded again."""
    if isinstance(masked, dict) and isinstance(original, dict):
        result: dict[str, JsonValue] = {}
        for (key, child), (old, was) in zip(masked.items(), original.items(), strict=True):
            text = _decoded(original, old)
            if text is None:
                result[key] = _with_encoded_files(child, was)
            else:
                result[key] = was if child == text else base64.b64encode(str(child).encode()).decode()
        return result
    if isinstance(masked, list) and isinstance(original, list):
        return [_with_encoded_files(child, was) for child, was in zip(masked, original, strict=True)]
    return masked


def _message(span: MaskedSpan, severity: str) -> JsonObject:
    return {"path": _path(span.pointer), "message": f"{plural(span.kind, 1)} ({span.reason})", "severity": severity}


def _counts(spans: list[MaskedSpan]) -> JsonObject:
    return dict(Counter(span.kind for span in spans))


def _path(pointer: str) -> str:
    """`content[0].text` for the JSON pointer `/content/0/text`."""
    path = re.sub(r"/(\d{1,9})(?=/|\Z)", r"[\1]", pointer).replace("/", ".").removeprefix(".")
    return path.replace("~1", "/").replace("~0", "~")
