"""Demo tools that send requests to the client: a visit that needs a form from the user, and a greeting that a model
writes."""

from __future__ import annotations

from workbench.demo.asking import fill_in, say
from workbench.demo.company import Company
from workbench.demo.tool import READS, DemoAnswer, DemoTool, Json, Progress, Refused, integer, record, text

_FORM: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "Who comes", "minLength": 2, "maxLength": 80},
        "guests": {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 12, "default": 1},
        "day": {"type": "string", "title": "Day", "format": "date"},
        "lunch": {
            "type": "string",
            "title": "Lunch",
            "oneOf": [
                {"const": "soup", "title": "Soup of the day"},
                {"const": "pasta", "title": "Pasta"},
                {"const": "none", "title": "No lunch"},
            ],
        },
        "parking": {"type": "boolean", "title": "Needs a parking place", "default": False},
    },
    "required": ["name", "day"],
}
_VISIT = record(
    {
        "name": text("Who comes"),
        "guests": integer("How many"),
        "day": text("When", format="date"),
        "lunch": text("What they eat"),
        "parking": {"type": "boolean", "description": "Whether a parking place is kept"},
        "plan": text("The plan in one sentence"),
    }
)


async def _plan(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    asked = await fill_in(f"A visit to {given['place']}: who comes, and when?", _FORM)
    visit = {"guests": 1, "lunch": "none", "parking": False, **asked}
    plan = f"{visit['name']} visits {given['place']} on {visit['day']}, {visit['guests']} in all."
    return DemoAnswer({**visit, "plan": plan})


async def _greet(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    said = await say(
        "You write short, friendly greetings for a company's front desk.",
        f"Write one sentence that welcomes {given['name']}.",
        60,
    )
    content = said.get("content")
    if not isinstance(content, dict) or not isinstance(content.get("text"), str):
        raise Refused("The model's answer contains no text.")
    return DemoAnswer({"greeting": content["text"], "model": str(said.get("model", ""))})


TOOLS = (
    DemoTool(
        name="plan_visit",
        title="Plan a visit",
        description="Plan a visit to the company. It asks you back, in a form, who comes and when (elicitation).",
        properties={"place": text("Where the visit goes", enum=["the warehouse", "the office"])},
        required=("place",),
        work=_plan,
        hints=READS,
        output=_VISIT,
    ),
    DemoTool(
        name="write_greeting",
        title="Write a greeting",
        description="Greet a visitor in words that the client's model writes; here you play the model (sampling).",
        properties={"name": text("Who is welcomed", minLength=1, maxLength=80)},
        required=("name",),
        work=_greet,
        hints=READS,
        output=record({"greeting": text("The sentence"), "model": text("Who wrote it")}),
    ),
)
