"""Each starter does what its card says, in the real sandbox, with the demo server's data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from workbench.core import Core
from workbench.events import Event, RunChanged
from workbench.paths import Paths
from workbench.records import Decision, RunState


@pytest.fixture
async def core(paths: Paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    house.bus.listen(partial(allow, house))
    yield house
    await house.close()


DUPLICATES = [{"n": "Müller, Eva", "e": ""}, {"n": "muller eva", "e": "x"}, {"n": ""}, {"n": ""}]
CASES: tuple[tuple[str, str, Any], ...] = (
    (
        "filter_high_risk",
        "await f([{'severity': 'Low'}, {'severity': 'HIGH', 'a': 1}, {'severity': 'critical'}, {}])",
        {"read": 4, "severe": 2, "by_word": {"low": 1, "high": 1, "critical": 1, "not said": 1},
         "records": [{"severity": "critical"}, {"severity": "HIGH", "a": 1}]},
    ),
    (
        "save_table_as_csv",
        "(await f([{'a': 1, 'b': '=1+1'}, {'a': None, 'c': [1]}], 'x/t.csv')) | {'text': read_file('x/t.csv')}",
        {"path": "workspace/x/t.csv", "rows": 2, "columns": ["a", "b", "c"], "bytes": 24,
         "text": "a,b,c\n1,'=1+1,\n,,[1]\n"},
    ),
    (
        "compare_tables",
        "await f([{'id': 1, 'v': 1}, {'id': 2, 'v': 1}], [{'id': 2, 'v': 3}, {'id': 3, 'v': 1}])",
        {"before": 2, "after": 2, "same": 0, "added": {"count": 1, "keys": [3]}, "gone": {"count": 1, "keys": [1]},
         "changed": {"count": 1, "by_field": {"v": 1}, "records": [{"id": 2, "v": [1, 3]}]}},
    ),
    (
        "dedupe_records",
        f"(lambda r: [r['kept'], r['repeated'], r['records'][0]['e']])(await f({DUPLICATES!r}, by=['n']))",
        [3, 1, "x"],
    ),
    (
        "batch_with_retry",
        "(lambda r: [r['done'], r['calls'], [one['at'] for one in r['failed']], r['results'][0]['id']])"
        "(await f(get_order, [{'order_id': ID}, {'order_id': 'none'}, {'order_id': ID}], tries=2, pause=0.01))",
        [2, 4, [1], "ID"],
    ),
    (
        "gather_sources",
        "(lambda r: [list(r['answers']), r['faults']])(await f({'orders': list_orders(limit=1),"
        " 'slow': asyncio.sleep(9), 'odd': get_order(order_id='none')}, seconds=0.5))",
        [["orders"], {"slow": "no answer within 0.5 s", "odd": "…"}],
    ),
    (
        "summarise_lines",
        "(lambda r: [r['lines'], r['matches'], r['first'][0]['before'], r['often'][0]])"
        "((write_file('a.log', 'took 1 ms\\ntook 22 ms\\nERROR: no\\n'), await f('a.log'))[1])",
        [3, 1, ["took 22 ms"], {"times": 2, "form": "took # ms"}],
    ),
    (
        "explore_schema",
        "(lambda r: [r['keys'], r['fields']['a.b'], r['fields']['n']['range']])"
        "(await f([{'n': 1, 'a': {'b': 'x'}}, {'n': 2, 'a': {'b': 'x'}}]))",
        [["n"], {"types": ["str"], "filled": 1.0, "different": 1, "commonest": ["x (2)"]}, [1, 2]],
    ),
)  # fmt: skip


async def ran(core: Core, code: str) -> Any:
    run = await core.run_manager.wait_until_finished(core.run_manager.submit(code, core.services.sessions.person).id)
    assert run.state is RunState.DONE, (run.fault, code)
    return json.loads(run.result)


def allow(core: Core, event: Event) -> None:
    """A person reads each program, and agrees."""
    if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
        run = event.run
        decision = Decision(run.id, run.proposal.sha, True, "you", fingerprint=run.fingerprint)
        asyncio.get_running_loop().call_soon(core.run_manager.decide, decision)


async def test_each_starter_does_what_its_card_says(core: Core) -> None:
    """One house for all of them: nothing here changes the library."""
    first = (await ran(core, "from servers.demo import list_orders\nresult = await list_orders(limit=1)"))["orders"][0]
    for name, call, expected in CASES:
        code = f"from servers.demo import get_order, list_orders\nfrom skills.{name} import {name} as f\n"
        found = await ran(core, f"{code}ID = {first['id']!r}\nresult = {call}\n")
        if name == "gather_sources":
            found[1]["odd"] = "…" if found[1]["odd"] else ""
        assert json.loads(json.dumps(found).replace(first["id"], "ID")) == expected, name
    loaded = "skill = load_skill('filter_high_risk')\nexec(skill)\nresult = (await filter_high_risk([{}]))['read']\n"
    assert await ran(core, loaded) == 1
    called = "result = (await load_skill('filter-high-risk').filter_high_risk([{}]))['read']\n"
    assert await ran(core, called) == 1
