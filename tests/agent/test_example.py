"""The example agent's program is real: it parses, it names tools that the demo server has, and it needs a person."""

from __future__ import annotations

from workbench.agent.example_agent import PROGRAM
from workbench.records import Gate


async def test_the_example_proposes_a_program_that_waits_for_a_person(core):
    await core.catalog.connect("demo")
    verdict = await core.run_manager.assess(PROGRAM)
    assert verdict.gate is Gate.ASK, verdict.sentence
    assert {use.tool for use in verdict.tools} == {"list_orders", "get_customer", "send_email"}
