"""The API registry: what may be registered, what clients are told of it, and what each method's flags have to say."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import textwrap
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from msgspec import Raw

from workbench.api.client_stub import CoreApi
from workbench.api.codec import NO_ARGUMENTS, shelved
from workbench.api.marker import ApiMark, api, mark_of
from workbench.api.method_schema import MethodSchema, schema_of
from workbench.api.registry import Registry
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery

_NOTES = re.compile(r"\b_?note(_\w+)?\(|journal\.append\(")
DECLARED = {name: mark for name in vars(CoreApi) if (mark := mark_of(vars(CoreApi)[name])) is not None}

# Methods that write an audit entry and may be cancelled all the same: the entry is written before or after everything
# else, or the call is one that a client gives up on purpose.
MAY_BE_CANCELLED = {
    "reveal_found_server": "it only looks",
    "reveal": "it only looks",
    "privacy_export": "it only looks",
    "export_entries": "a long export is given up by closing its dialog",
    "audit_report": "a long report is given up by closing its dialog",
    "task_result": "it only looks",
}


@pytest.fixture(scope="module")
def implementations() -> dict[str, object]:
    return dict(_stub_writer().marked_methods())


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    core = Core(paths)
    await core.open()
    yield core
    await core.close()


async def test_an_open_core_answers_every_method_of_the_stub_and_no_other(core):
    assert core.methods.names == DECLARED.keys()
    for name in DECLARED:
        assert core.methods.get(name).mark == DECLARED[name] or core.methods.get(name).mark.in_thread, name


async def test_types_that_travel_are_the_same_at_both_ends_and_can_be_encoded(core):
    for name in sorted(DECLARED):
        client, server = schema_of(getattr(CoreApi, name), name), core.methods.get(name).schema
        assert (_types(client), client.answer) == (_types(server), server.answer), name
        assert [(p.name, p.default, p.kind) for p in client.signature.parameters.values()] == [
            (p.name, p.default, p.kind) for p in server.signature.parameters.values()
        ], name
        for hint in (server.arguments, server.answer):
            assert "CustomType" not in repr(msgspec.inspect.type_info(hint)), name
            msgspec.json.Decoder(hint)


def test_two_methods_of_one_name_are_refused():
    class One:
        @api
        async def look(self) -> str:
            return ""

    class Other:
        @api(name="look")
        async def see(self) -> str:
            return ""

    with pytest.raises(TypeError, match="two API methods are called look"):
        Registry(One(), Other())


def test_a_method_without_types_is_refused():
    class Untyped:
        @api
        async def look(self, place) -> str:  # type: ignore[no-untyped-def]
            return ""

    class NoResult:
        @api
        async def look(self, place: str):  # type: ignore[no-untyped-def]
            return ""

    class Waits:
        @api(in_thread=True)
        async def look(self) -> str:
            return ""

    for owner, words in ((Untyped, "no type for place"), (NoResult, "no type for return"), (Waits, "cannot run in a")):
        with pytest.raises(TypeError, match=words):
            Registry(owner())


async def test_plain_functions_are_called_directly_or_on_a_thread():
    class Rooms:
        @api
        def here(self) -> str:
            return threading.current_thread().name

        @api(name="there", in_thread=True)
        def elsewhere(self, add: str = "") -> str:
            return threading.current_thread().name + add

        async def hidden(self) -> str:
            return ""

    registry = Registry(Rooms())
    assert registry.names == {"here", "there"}
    assert await registry.get("here")() == threading.main_thread().name
    assert (await registry.get("there")(add="!")) not in (threading.main_thread().name + "!", "!")
    with pytest.raises(AttributeError):
        registry.local.hidden  # noqa: B018


def test_what_the_user_agrees_to_is_refused_to_processes_of_an_agents_client(implementations):
    """All that asks for the terminal an answer comes from, and all that loosens what was denied, marked or held."""
    consents = {name for name, mark in DECLARED.items() if mark.consent}
    assert {"decide_files", "revoke_permission", "unmark_privacy", "set_privacy_kind", "unlock"} <= consents
    texts = {name: _text(function) for name, function in implementations.items()}
    asking = {name for name, text in texts.items() if "self._check_terminal(" in text or "self._terminal_of(" in text}
    itself = {name for name, text in texts.items() if "check_is_user()" in text}
    assert len(asking) > 5
    assert asking - itself <= consents


def test_what_writes_the_audit_runs_to_its_end(implementations):
    """A client that goes away must not leave a change without its audit entry."""
    noting = {name for name, function in implementations.items() if _NOTES.search(_text(function))}
    assert len(noting) > 50
    assert noting - {name for name, mark in DECLARED.items() if mark.decides} == MAY_BE_CANCELLED.keys()


def test_what_only_reads_ends_with_its_client():
    for name in ("status", "tools", "entries", "call", "search", "assess", "attend"):
        assert not DECLARED[name].decides, name
    assert DECLARED["decide"] == ApiMark("decide", decides=True, consent=True, in_thread=False)


def test_arguments_travel_by_name_however_they_were_given():
    search = schema_of(CoreApi.search, "search")
    given = search.encode_arguments("orders", limit=3, depth="name")
    assert bytes(given) == b'[{"query":"orders","depth":"name","limit":3}]'
    entries, query = schema_of(CoreApi.entries, "entries"), EntryQuery(text="x")
    assert entries.decode_arguments(entries.encode_arguments(query), shelved) == {"query": query}


def test_arguments_with_their_default_do_not_travel():
    assess = schema_of(CoreApi.assess, "assess")
    given = assess.encode_arguments("pass", language="python")
    assert bytes(given) == b'[{"code":"pass"}]'
    assert assess.decode_arguments(given, shelved) == {"code": "pass"}


def test_a_method_without_arguments_needs_none():
    assert schema_of(CoreApi.status, "status").decode_arguments(NO_ARGUMENTS, shelved) == {}


def test_wrong_arguments_are_named():
    for given in (b"[{}]", b'[{"path":"a","mode":"w"}]', b'[{"paht":"a"}]', b"[3]", b"{}", b"[]"):
        with pytest.raises(WorkbenchError, match="wrong arguments"):
            schema_of(CoreApi.read_file, "read_file").decode_arguments(Raw(given), shelved)


def _types(method: MethodSchema) -> list[tuple[str, object]]:
    return [(field.name, field.type) for field in msgspec.structs.fields(method.arguments)]


def _stub_writer() -> ModuleType:
    place = Path(__file__).resolve().parents[2] / "tools" / "api_stub.py"
    spec = importlib.util.spec_from_file_location("api_stub", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _text(function: object) -> str:
    return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
