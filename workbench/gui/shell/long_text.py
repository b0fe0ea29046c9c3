"""Long texts arrive as a preview and a handle; these functions fetch the complete text."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.api.codec import TextPreview
from workbench.gui.shell.context import Fetch


def whole_size(texts: Sequence[str]) -> int:
    """Characters of these texts that are still in the core; 0 if all are here."""
    return sum(text.size for text in texts if isinstance(text, TextPreview))


async def fetch_whole(fetch: Fetch, texts: Sequence[str]) -> list[str]:
    """Fetch the complete texts of previews."""
    return [await fetch(text.handle, 0, text.size) if isinstance(text, TextPreview) else text for text in texts]


def size_words(size: float) -> str:
    """Format a number of bytes: 950 B, 1.2 kB, 3.4 MB."""
    if size < 1000:
        return f"{size:.0f} B"
    if size < 1_000_000:
        return f"{size / 1000:.1f} kB"
    if size < 1_000_000_000:
        return f"{size / 1_000_000:.1f} MB"
    return f"{size / 1_000_000_000:.1f} GB"
