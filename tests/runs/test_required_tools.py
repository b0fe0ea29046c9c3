from __future__ import annotations

from workbench.analysis.reading import assess
from workbench.records import Tool
from workbench.runs.skill_actions import describe_missing_tools, needed_tools


def test_tools_are_needed_whether_they_are_there_or_not() -> None:
    tools = [Tool("demo", "list_orders", "", "", {"type": "object"})]
    code = "from servers.demo import list_orders, cancel_order\nawait list_orders()\nawait cancel_order()\n"
    wanted = needed_tools(assess(code, tools))
    assert wanted == ("demo.cancel_order", "demo.list_orders")
    assert describe_missing_tools(wanted, tools) == ("demo.cancel_order: demo has no such tool",)
    assert describe_missing_tools(("demo.list_order",), tools) == (
        "demo.list_order: demo has no such tool (similar: list_orders)",
    )
    assert describe_missing_tools(("demmo.list_orders",), tools) == (
        "demmo.list_orders: there is no server demmo (similar: demo)",
    )
    assert needed_tools(None) == ()
