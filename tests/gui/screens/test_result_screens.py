"""Writes pictures of results of every kind, so that a person can look at them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPixmap

from tests.gui.screens.test_screens import shoot
from workbench.gui.results.result_view import ResultView
from workbench.records import Content, Outcome

ORDERS = [
    {
        "id": f"ORD-{number:04}",
        "customer": {"name": f"Customer {number}", "city": "Oslo"},
        "total": number * 13.5,
        "paid": number % 3 == 0,
        "tags": ["gift"] if number % 4 == 0 else [],
    }
    for number in range(1, 60)
]
WORDS = """# Orders of June

Three things *stand out*:

1. **Lamps** sell twice as well as in May.
2. Two parcels were lost: see [the courier's page](https://courier.example/track/12).
3. `list_orders` is slow.

| month | orders |
| --- | ---: |
| May | 120 |
| June | 240 |

```python
orders = await list_orders(limit=20)
```

> Hidden: \u202egnp.exe
"""


def picture() -> Content:
    drawn = QPixmap(640, 400)
    drawn.fill(QColor("#203050"))
    painter = QPainter(drawn)
    ground = QLinearGradient(0, 0, 640, 400)
    ground.setColorAt(0, QColor("#f0a030"))
    ground.setColorAt(1, QColor("#3050f0"))
    painter.fillRect(40, 40, 560, 320, ground)
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    drawn.save(buffer, "PNG")
    return Content("image", mime="image/png", data=base64.b64encode(buffer.data().data()).decode())


def outcome(*blocks: Content, value: Any = None) -> Outcome:
    return Outcome("c", True, blocks, json.dumps(value) if value is not None else "", ms=12, bytes=900, tokens=300)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_results_can_be_looked_at(context: Any, qtbot: Any, colours: str) -> None:
    context.theme.choose(colours)
    view = ResultView(context, compares=True)
    qtbot.addWidget(view)
    view.resize(640, 520)
    view.show()
    view.show_outcome(outcome(value={"orders": ORDERS, "next": None}))
    shoot(view, f"result-table-{colours}")
    view.look("Tree")
    view.open_find()
    view.find_bar.text.setText("customer 7")
    view.find_bar.go(1)
    shoot(view, f"result-tree-{colours}")
    view.find_bar.close_bar()
    view.show_outcome(outcome(value={"orders": ORDERS[:3], "next": "page-2"}))
    view.look("Changes")
    shoot(view, f"result-changes-{colours}")
    view.show_outcome(outcome(Content("text", WORDS)))
    shoot(view, f"result-prose-{colours}")
    view.show_outcome(outcome(picture()))
    shoot(view, f"result-image-{colours}")
    view.show_outcome(
        outcome(
            Content("text", "The chart of June, and how to read it."),
            picture(),
            Content("audio", mime="audio/mpeg", data="AAAA" * 4000),
            Content("link", uri="https://example.com/june", text="The whole report"),
            Content("resource", uri="file:///orders.csv", mime="text/csv", text="id,total\n1,13.5\n2,27\n"),
        )
    )
    shoot(view, f"result-parts-{colours}")
