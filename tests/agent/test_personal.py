"""An agent may have values replaced by tokens, and never gets a value for a token."""

from __future__ import annotations

from msgspec.structs import replace

MAIL = "ines.novak@example.org"


async def test_a_text_is_sanitised_with_the_tokens_of_the_session_and_they_are_never_turned_back(core, agent):
    async with agent() as client, agent() as other:

        async def said(one, tool, text):
            answer = await one.call_tool(tool, {"text": text})
            return answer.content[0].text

        masked = await said(client, "sanitize_pii", f"Write to {MAIL}.")
        assert masked.startswith("Write to [EMAIL_1.")
        assert await said(client, "sanitize_pii", masked) == masked
        long = await said(client, "sanitize_pii", f"{'word ' * 2_000}{MAIL}")
        assert long.endswith(masked.removeprefix("Write to ").removesuffix("."))
        assert (await said(client, "restore_pii", masked)).startswith(f"{masked}\n")
        assert MAIL not in await said(client, "restore_pii", f"{masked} {MAIL}")
        assert "do not belong to this session and will be refused: 1 of 1." in await said(other, "restore_pii", masked)
        assert "no tokens" in await said(client, "restore_pii", "plain")


async def test_what_is_too_long_or_switched_off_is_said(core, agent):
    async with agent() as client:
        long = await client.call_tool("sanitize_pii", {"text": "x" * 500_000})
        many = await client.call_tool("restore_pii", {"text": "[EMAIL_1.aaaa]" * 40_000})
        core.services.settings.set(replace(core.settings, privacy_enabled=False))
        off = await client.call_tool("sanitize_pii", {"text": MAIL})
    for one in (long, many):
        assert (one.is_error, "longer than" in one.content[0].text) == (True, True)
    assert (off.is_error, "switched off" in off.content[0].text) == (True, True)


async def test_a_token_that_is_none_of_the_session_is_named_as_it_was_written(core, agent):
    async with agent() as client, agent() as other:

        async def said(one, tool, text):
            return (await one.call_tool(tool, {"text": text})).content[0].text

        foreign = await said(other, "sanitize_pii", MAIL)
        own = await said(client, "sanitize_pii", "bo.lind@example.org")
        words = await said(client, "restore_pii", f"{own} {foreign} [EMAIL_9.abcd] [EMAIL_1] rosa@corp.io")
        assert words.startswith(f"{own} {foreign} [EMAIL_9.abcd] [EMAIL_1] [EMAIL_2."), "nothing is renamed"
        assert "will be refused: 3 of 4." in words
        for token in (foreign, "[EMAIL_9.abcd]"):
            assert f"{token} is no token of this session: it was changed or comes from a different session." in words
        assert "[EMAIL_1] is no token of this session: it is damaged" in words
        assert f"{own} is no token" not in words
        assert "LITERAL" not in words
        assert "bo.lind" not in words


LIST = "from servers.demo import list_customers\nrows = (await list_customers(limit=5))['customers']\n"


async def test_an_agent_finds_a_row_by_the_token_that_it_read(core, agent):
    await core.catalog.connect("demo")
    async with agent() as client:

        async def ran(code):
            answer = await client.call_tool("execute_code", {"code": code, "description": "find a customer"})
            return answer.content[0].text

        token = (await ran(f"{LIST}print(rows[0]['email'])")).strip()
        assert token.startswith("[EMAIL_1.")
        found = await ran(f'{LIST}result = [row["id"] for row in rows if row["email"] == "{token}"]')
        assert found.startswith('result = ["')
        looked_up = await ran(f'{LIST}result = {{row["email"]: row["id"] for row in rows}}.get("{token}")')
        assert looked_up == found.replace("[", "").replace("]", "")
        missed = await ran(f'{LIST}result = [row for row in rows if row["email"] == "mailto:{token}"]')
        assert missed.startswith("result = []")
        assert f"line 3: {token} is compared as text here" in missed
        assert f'use equal(value, "{token}") from client' in missed
        unknown = await ran('print("[EMAIL_9.abcd]")')
        assert unknown.endswith(
            "line 1: [EMAIL_9.abcd] is no token of this session: it was changed or comes from a different session."
        )
