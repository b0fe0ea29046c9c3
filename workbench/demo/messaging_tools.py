"""Demo tools for messages: channels, the mail outbox, and a report that always fails."""

from __future__ import annotations

from dataclasses import asdict

from workbench.demo.company import Company, Mail
from workbench.demo.tool import ADDS, READS, SENDS, DemoAnswer, DemoTool, Json, Progress, Refused, listing, record, text
from workbench.demo.tool import integer as whole_number

CHANNEL = text("Name of the channel", enum=["deployments", "general", "support"])

_MESSAGE = record(
    {
        "id": text("Number of the message"),
        "channel": text("Channel it stands in"),
        "author": text("Who wrote it"),
        "text": text("What it says"),
    }
)
_MAIL = record(
    {
        "id": text("Number of the mail"),
        "to": text("Mail address of the receiver"),
        "subject": text("Subject"),
        "body": text("Text of the mail"),
    }
)


def _history(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    messages = company.look(given["channel"])[-given.get("limit", 50) :]
    return DemoAnswer({"result": [asdict(message) for message in messages]})


def _post(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    return DemoAnswer(asdict(company.post(given["channel"], "you", given["text"])))


def _send(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    if given["to"].count("@") != 1:
        raise Refused(f"{given['to']!r} is not a mail address. Give one receiver, such as ines@example.com.")
    mail = Mail(f"MAIL-{len(company.outbox) + 1:04d}", given["to"], given["subject"], given["body"])
    company.outbox.append(mail)
    return DemoAnswer({"id": mail.id, "queued": True})


def _outbox(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    return DemoAnswer({"result": [asdict(mail) for mail in company.outbox]})


def _broken(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    raise Refused(
        f"The report for {given.get('quarter', 'this quarter')} cannot be made: its template is missing the column "
        "'margin'. Use sales_summary instead; it has the same figures."
    )


TOOLS = (
    DemoTool(
        name="get_channel_history",
        title="Read a channel",
        description=(
            "Read the latest messages of a channel, oldest first. In 'deployments' the message 'deployment complete' "
            "appears a few seconds after somebody first looked."
        ),
        properties={
            "channel": CHANNEL,
            "limit": whole_number("How many messages", minimum=1, maximum=500, default=50),
        },
        required=("channel",),
        work=_history,
        hints=READS,
        output=record({"result": listing(_MESSAGE)}),
    ),
    DemoTool(
        name="post_message",
        title="Post a message",
        description="Post a message to a channel, where everybody in the company reads it.",
        properties={"channel": CHANNEL, "text": text("What to say", minLength=1, maxLength=4_000)},
        required=("channel", "text"),
        work=_post,
        hints=ADDS,
        output=_MESSAGE,
    ),
    DemoTool(
        name="send_email",
        title="Send a mail",
        description="Send a mail to somebody outside the company. In this demo it waits in the outbox for ever.",
        properties={
            "to": text("Mail address of the receiver", format="email"),
            "subject": text("Subject", minLength=1),
            "body": text("Text of the mail"),
        },
        required=("to", "subject", "body"),
        work=_send,
        hints=SENDS,
        output=record({"id": text("Number of the mail"), "queued": {"type": "boolean"}}),
    ),
    DemoTool(
        name="list_outbox",
        title="List the outbox",
        description="List the mails that were sent since the server started.",
        properties={},
        work=_outbox,
        hints=READS,
        output=record({"result": listing(_MAIL)}),
    ),
    DemoTool(
        name="broken_report",
        title="A report that fails",
        description="Make the quarterly margin report. It always fails, to show what a tool's error looks like.",
        properties={"quarter": text("Which quarter, e.g. 2025-Q3")},
        work=_broken,
        hints=READS,
    ),
)
