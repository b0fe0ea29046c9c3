"""The page that a browser shows at the end of a sign-in: plain words, nothing fetched from anywhere."""

from __future__ import annotations

import html

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:15vh auto;padding:0 1em;color:#1c1f26;
background:#f7f7f9}}h1{{font-size:1.3em}}p{{white-space:pre-wrap;overflow-wrap:anywhere}}
@media(prefers-color-scheme:dark){{body{{color:#e8e8ee;background:#16181d}}}}</style></head>
<body><h1>{title}</h1><p>{sentence}</p><p>{rest}</p></body></html>
"""
_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy: no-referrer",
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Connection: close",
)
_QUOTED = 600  # characters of somebody else's words


def page(status: int, title: str, sentence: str, rest: str = "You can close this page.") -> bytes:
    """The whole HTTP answer; every word in it is escaped."""
    shown = {"title": title, "sentence": sentence[:_QUOTED], "rest": rest}
    body = _PAGE.format(**{key: html.escape(_visible(text)) for key, text in shown.items()}).encode()
    reason = {200: "OK", 400: "Bad Request", 404: "Not Found"}.get(status, "Answer")
    head = "\r\n".join((f"HTTP/1.1 {status} {reason}", *_HEADERS, f"Content-Length: {len(body)}", "", ""))
    return head.encode("ascii") + body


def _visible(text: str) -> str:
    """Without what turns the direction of text or cannot be seen."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)
