"""Converts resources, templates, prompts and skills to the form that the ranking reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from workbench.records import FindKind, JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate, Skill

MOST_RESOURCES = 5_000
"""Maximum number of resources of one server that can be searched; the server's page lists all of them."""


class SearchableItem(Struct, frozen=True):
    """A resource, a template, a prompt or a skill."""

    kind: FindKind
    server: str  # empty for a skill
    key: str  # identifier that opens it: a URI, or the name of a prompt or skill
    name: str
    title: str
    description: str
    schema: JsonObject = field(default_factory=dict)  # schema of its arguments
    about: str = ""  # the server's description of itself
    category: str = ""  # category that the user gave the server
    size: int = -1
    mime: str = ""

    @property
    def function(self) -> str:
        """The full identifier, which also counts as a name."""
        return self.key

    @property
    def past_questions(self) -> tuple[str, ...]:
        return ()


def offered(
    resources: Iterable[Resource],
    templates: Iterable[ResourceTemplate],
    prompts: Iterable[Prompt],
    about: str,
    category: str,
) -> Iterator[SearchableItem]:
    """Yield the items of one server other than tools."""
    for one in resources:
        told = f"{one.description} {one.uri}"
        yield SearchableItem(
            FindKind.RESOURCE, one.server, one.uri, one.name, one.title, told, {}, about, category, one.size, one.mime
        )
    for blank in templates:
        told, takes = f"{blank.description} {blank.template}", _properties((name, "") for name in blank.variables)
        yield SearchableItem(
            FindKind.TEMPLATE, blank.server, blank.template, blank.name, blank.title, told, takes, about, category
        )
    for prompt in prompts:
        takes = _properties((argument.name, _argument_text(argument)) for argument in prompt.arguments)
        yield SearchableItem(
            FindKind.PROMPT, prompt.server, prompt.name, prompt.name, prompt.title, prompt.description, takes, about,
            category,
        )  # fmt: skip


def of_skill(skill: Skill) -> SearchableItem:
    """Return a skill as an item. The names of its tools are part of the description."""
    told = " ".join((skill.description, *skill.tags, *skill.tools))
    return SearchableItem(FindKind.SKILL, "", skill.name, skill.name, "", told)


def _properties(named: Iterable[tuple[str, str]]) -> JsonObject:
    return {"properties": {name: {"description": words} for name, words in named}}


def _argument_text(argument: PromptArgument) -> str:
    return f"{argument.title} {argument.description}".strip()
