"""Long texts arrive as a preview and a handle; this brings the whole of them."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.api.codec import TextPreview
from workbench.gui.shell.context import Fetch


def whole_size(texts: Sequence[str]) -> int:
    """Characters that still wait in the core, over all texts; 0 when everything is here."""
    return sum(text.size for text in texts if isinstance(text, TextPreview))


async def fetch_whole(fetch: Fetch, texts: Sequence[str]) -> list[str]:
    """The same texts, each one whole."""
    return [await fetch(text.handle, 0, text.size) if isinstance(text, TextPreview) else text for text in texts]


def size_words(size: float) -> str:
    """A size as people say it."""
    if size < 1000:
        return f"{size:.0f} B"
    if size < 1_000_000:
        return f"{size / 1000:.1f} KB"
    if size < 1_000_000_000:
        return f"{size / 1_000_000:.1f} MB"
    return f"{size / 1_000_000_000:.1f} GB"
