"""Rows and words for resources, templates and prompts, the same wherever they are listed."""

from __future__ import annotations

from workbench.gui.counted import cost
from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.gui.whole import size_words
from workbench.gui.words import duration
from workbench.records import Content, Prompt, Resource, ResourceTemplate


def resource_row(resource: Resource, *, subscribed: bool = False, updated: bool = False) -> Row:
    badges = (("updated", "warning"),) if updated else ()
    if subscribed:
        badges = (*badges, ("subscribed", "info"))
    return Row(
        key=resource.uri,
        title=one_line(resource.title or resource.name, 200),
        detail=one_line(resource.uri, 300),
        aside=" · ".join(part for part in (one_line(resource.mime, 60), _size(resource.size)) if part),
        icon=mime_icon(resource.mime),
        badges=badges,
        tip=visible(resource.description),
    )


def template_row(template: ResourceTemplate) -> Row:
    return Row(
        key=template_key(template),
        title=one_line(template.title or template.name, 200),
        detail=one_line(template.template, 300),
        aside=one_line(template.mime, 60),
        icon="pencil",
        badges=(("template", "accent"),),
        tip=visible(template.description),
    )


def prompt_row(prompt: Prompt) -> Row:
    blanks = len(prompt.arguments)
    return Row(
        key=prompt.name,
        title=one_line(prompt.title or prompt.name, 200),
        detail=one_line(prompt.description or prompt.name, 300),
        aside=f"{blanks} arguments" if blanks else "",
        icon="message",
        tip=f"{visible(prompt.name)}\n{visible(prompt.description)}",
    )


def template_key(template: ResourceTemplate) -> str:
    """Apart from addresses, which hold no line break."""
    return f"template\n{template.template}"


def mime_icon(mime: str) -> str:
    kind = mime.split("/")[0].lower()
    return "image" if kind == "image" else "code" if mime.lower().endswith(("json", "xml")) else "file"


def figures(ms: float, size: int, tokens: int) -> str:
    """What something cost, in one line."""
    return " · ".join((duration(ms), size_words(size), cost(tokens)))


def part_words(part: Content) -> str:
    """One part of an answer, in one line."""
    kind = part.mime or part.kind
    return " · ".join(word for word in (one_line(part.uri, 80), one_line(kind, 60)) if word)


def _size(size: int) -> str:
    return size_words(size) if size >= 0 else ""
