"""Masks secrets in text that is shown, logged, written or sent to an agent."""

from __future__ import annotations

import json
import logging
import threading
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "••••••"  # fixed width: a variable mask would reveal the length
SHORTEST = 6  # characters; shorter values occur in ordinary text by chance


class SecretMasks:
    """Masks all known secrets, in every encoding in which they may appear."""

    def __init__(self) -> None:
        self._forms: tuple[str, ...] = ()  # longest first, so that no part of a longer form remains
        self._bytes: tuple[bytes, ...] = ()  # the same forms in UTF-8
        self.longest = 0  # length of the longest form in bytes
        self._hiding = threading.Lock()  # several servers may start at once, each on its own thread

    def add_secret(self, value: str) -> None:
        """Mask this value from now on. Values shorter than `SHORTEST` are ignored."""
        if len(value) < SHORTEST:
            return
        forms = {value, quote(value, safe=""), quote(value), quote_plus(value)}
        for ascii_only in (True, False):
            written = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
            forms |= {written, json.dumps(written, ensure_ascii=ascii_only)[1:-1]}  # JSON nested in a JSON string
            forms.add(written.replace("/", "\\/"))  # PHP escapes slashes in JSON
        with self._hiding:
            self._forms = tuple(sorted({*self._forms, *forms}, key=len, reverse=True))
            self._bytes = tuple(form.encode("utf-8", "surrogatepass") for form in self._forms)
            self.longest = max(len(form) for form in self._bytes)

    @property
    def known(self) -> int:
        """Number of masked forms. It only grows."""
        return len(self._forms)

    def mask(self, text: str) -> str:
        """Replace every form of every secret in the text."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def mask_bytes(self, data: bytes) -> bytes:
        """Replace secrets in undecoded bytes."""
        for form in self._bytes:
            if form in data:
                data = data.replace(form, MASK.encode())
        return data

    def mask_json(self, value: Any) -> Any:  # Any: JSON
        """Copy a JSON value with masked strings and keys."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, dict):
            return {self.mask(key): self.mask_json(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask_json(item) for item in value]
        return value


class MaskingFormatter(logging.Formatter):
    """Wraps a log formatter and masks secrets in its output."""

    def __init__(self, inner: logging.Formatter, masks: SecretMasks) -> None:
        super().__init__()
        self.inner = inner
        self._masks = masks

    def format(self, record: logging.LogRecord) -> str:
        return self._masks.mask(self.inner.format(record))


def mask_logs(masks: SecretMasks) -> None:
    """Mask secrets in all log output of this process from now on."""
    for handler in logging.getLogger().handlers:
        before = handler.formatter or logging.Formatter()
        inner = before.inner if isinstance(before, MaskingFormatter) else before
        handler.setFormatter(MaskingFormatter(inner, masks))
