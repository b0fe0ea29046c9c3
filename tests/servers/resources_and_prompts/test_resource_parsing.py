"""Lists of resources and prompts: an invalid entry is left out with a warning."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from workbench.servers.resources_and_prompts.resource_parsing import prompts, resources, templates

JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("uri", "uriTemplate", "name", "title", "description", "mimeType", "size", "arguments")
ENTRIES = some.lists(
    JSON | some.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, JSON)),
    max_size=6,
)


def test_one_bad_entry_spoils_no_other() -> None:
    listed = [
        {"uri": "a://1", "name": "one", "title": "One", "mimeType": "text/plain", "size": 12},
        {"name": "nameless address"},
        "text",
        {"uri": 7},
        {"uri": "a://1", "name": "again"},
        {"uri": "a://2", "size": "big", "description": 5},
        {"uri": "x" * 9000},
    ]
    found = resources("s", listed)
    assert [(one.uri, one.name, one.size) for one in found.entries] == [("a://1", "one", 12), ("a://2", "a://2", -1)]
    assert found.warnings == (
        "Resource number 2 was left out: it has no uri.",
        "Resource number 3 was left out: it is not an object.",
        "Resource number 4 was left out: it has no uri.",
        "Resource a://1 is listed twice; the first entry is used.",
        "Resource number 7 was left out: its uri is too long (9000 characters).",
    )


def test_a_thousand_bad_entries_are_counted_not_listed() -> None:
    warnings = resources("s", [None] * 1000).warnings
    assert len(warnings) == 21
    assert warnings[-1] == "… and 980 more warnings."


def test_a_template_tells_its_blanks() -> None:
    (found,) = templates("s", [{"uriTemplate": "a://{one}{?two}", "name": "t"}]).entries
    assert found.variables == ("one", "two")


def test_the_arguments_of_a_prompt_are_read_one_by_one() -> None:
    arguments = [
        {"name": "a", "required": True, "description": "An A."},
        {"name": 5},
        "b",
        {"name": "a"},
        {"name": "c"},
    ]
    (found,) = prompts("s", [{"name": "p", "arguments": arguments}]).entries
    assert [(one.name, one.required) for one in found.arguments] == [("a", True), ("c", False)]


def test_words_are_cut_to_size() -> None:
    (found,) = prompts("s", [{"name": "p", "description": "x" * 100_000}]).entries
    assert len(found.description) == 4001


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ENTRIES)
def test_nothing_a_server_lists_breaks_it(listed: list[object]) -> None:
    for read in (resources, templates, prompts):
        found = read("s", listed)
        assert len(found.entries) <= len(listed)
