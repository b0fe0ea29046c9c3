"""Masks secrets in text that is shown, logged, written or sent to an agent."""

from __future__ import annotations

import json
import logging
import threading
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "••••••"  # always as wide: a mask that varied would tell the length
SHORTEST = 6  # characters; shorter values stand in half of all text by chance


class Masks:
    """Every value that must not be seen again, in the ways it may be written."""

    def __init__(self) -> None:
        self._forms: tuple[str, ...] = ()  # longest first, so that no part of one is left standing
        self._bytes: tuple[bytes, ...] = ()  # the same in UTF-8
        self.longest = 0  # bytes
        self._hiding = threading.Lock()  # several servers may start at once, each on a thread of its own

    def hide(self, value: str) -> None:
        """From now on this value is masked."""
        if len(value) < SHORTEST:
            return
        forms = {value, quote(value, safe=""), quote(value), quote_plus(value)}
        for ascii_only in (True, False):
            written = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
            forms |= {written, json.dumps(written, ensure_ascii=ascii_only)[1:-1]}  # JSON inside JSON too
            forms.add(written.replace("/", "\\/"))  # as PHP writes it
        with self._hiding:
            self._forms = tuple(sorted({*self._forms, *forms}, key=len, reverse=True))
            self._bytes = tuple(form.encode("utf-8", "surrogatepass") for form in self._forms)
            self.longest = max(len(form) for form in self._bytes)

    @property
    def known(self) -> int:
        """In how many ways something is hidden: it only grows."""
        return len(self._forms)

    def mask(self, text: str) -> str:
        """The text with a mask in place of every hidden value."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def mask_bytes(self, data: bytes) -> bytes:
        """The same for bytes that were not decoded yet."""
        for form in self._bytes:
            if form in data:
                data = data.replace(form, MASK.encode())
        return data

    def mask_json(self, value: Any) -> Any:  # Any: JSON
        """The same structure, its texts and keys masked."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, dict):
            return {self.mask(key): self.mask_json(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask_json(item) for item in value]
        return value


class Masked(logging.Formatter):
    """Writes as another formatter does, without secrets."""

    def __init__(self, inner: logging.Formatter, masks: Masks) -> None:
        super().__init__()
        self.inner = inner
        self._masks = masks

    def format(self, record: logging.LogRecord) -> str:
        return self._masks.mask(self.inner.format(record))


def mask_logs(masks: Masks) -> None:
    """Mask secrets in everything this process logs from now on."""
    for handler in logging.getLogger().handlers:
        before = handler.formatter or logging.Formatter()
        inner = before.inner if isinstance(before, Masked) else before
        handler.setFormatter(Masked(inner, masks))
