"""Masks secrets in the core's log, tracebacks included."""

from __future__ import annotations

import logging

from workbench.secrets.secret_masking import Masks


class Masked(logging.Formatter):
    """Writes as another formatter does, without secrets."""

    def __init__(self, inner: logging.Formatter, masks: Masks) -> None:
        super().__init__()
        self.inner = inner
        self._masks = masks

    def format(self, record: logging.LogRecord) -> str:
        return self._masks.mask(self.inner.format(record))


def mask_logs(masks: Masks) -> None:
    """From now on, whatever goes to the log of this process passes the masks."""
    for handler in logging.getLogger().handlers:
        before = handler.formatter or logging.Formatter()
        inner = before.inner if isinstance(before, Masked) else before
        handler.setFormatter(Masked(inner, masks))
