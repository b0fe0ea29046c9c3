"""Sign-in at a real server with a real authorization server, and all ways it can fail."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import SignInChanged, SignInWanted
from workbench.secrets.secret_masking import SecretMasks
from workbench.servers.oauth.oauth_errors import SignInNeeded
from workbench.servers.oauth.sign_in_log import SignInLog
from workbench.servers.server_faults import ServerFault


def told(report):
    """All text of a report that can be shown to the user."""
    return f"{report} {list(report.steps)}"


async def test_without_a_sign_in_a_call_says_that_one_is_needed_and_opens_nothing(project, guarded):
    with pytest.raises(SignInNeeded, match="requires you to sign in"):
        await project.call()
    assert set(project.notes) == {("far", "needed")}
    assert not any(isinstance(event, SignInWanted) for event in project.events)
    assert guarded.paths() == ["/mcp"]


async def test_a_person_signs_in_and_calls_go_through(project, guarded):
    with pytest.raises(SignInNeeded):
        await project.call()
    report = await project.sign_in()
    assert (report.state, report.fault, report.stored, report.scope) == ("done", None, True, "read")
    assert (await project.call()).json()["result"]["content"][0]["text"] == "did look"
    assert project.notes[-1] == ("far", "done")
    (wanted,) = [event for event in project.events if isinstance(event, SignInWanted)]
    assert wanted.host in guarded.base
    states = [event.state for event in project.events if isinstance(event, SignInChanged)]
    assert list(dict.fromkeys(states)) == ["asking", "waiting", "done"]
    (page,) = project.pages
    assert (page.status_code, "You are signed in" in page.text) == (200, True)
    asked = dict(guarded.asked)
    assert asked["/authorize"]["code_challenge_method"] == "S256"
    assert asked["/authorize"]["resource"] == asked["/token"]["resource"] == guarded.url
    assert asked["/register"]["redirect_uris"][0].startswith("http://127.0.0.1:")


async def test_each_step_can_be_read_and_none_shows_a_secret(project, guarded):
    report = await project.sign_in()
    assert [(step.title, step.ok) for step in report.steps] == [
        ("Contact the server", False),
        ("Read the server's metadata", True),
        ("Read the authorization server's metadata", True),
        ("Register this app", True),
        ("Sign in at the authorization server", True),
        ("Return from the browser", True),
        ("Exchange the code for a token", True),
    ]
    assert report.steps[1].url.endswith("/.well-known/oauth-protected-resource/mcp")
    assert '"scopes_supported"' in report.steps[1].received
    token = dict(guarded.asked)["/token"]
    for secret in (*guarded.tokens, *guarded.refreshers, token["code"], token["code_verifier"]):
        assert secret not in told(report)
    assert not any(secret in str(project.events) for secret in (*guarded.tokens, token["code"]))


async def test_tokens_stand_among_the_secrets_and_are_good_after_a_restart(project, guarded):
    await project.sign_in()
    assert project.secrets.names() == ("oauth:far",)
    (token,) = guarded.tokens
    assert project.secrets.masks.mask(token) != token
    project.restart()
    assert (await project.call()).status_code == 200
    assert guarded.paths().count("/authorize") == 1


async def test_an_entry_of_the_same_name_that_leads_elsewhere_gets_no_token(project, guarded):
    await project.sign_in()
    elsewhere = replace(project.config(), url=f"{guarded.base}/other")
    assert (await project.sign_ins.report(elsewhere)).stored is False


async def test_a_token_that_ended_is_renewed_and_so_is_the_next_one(project, guarded):
    await project.sign_in()
    for expected in (1, 2):
        guarded.age()
        assert (await project.call()).status_code == 200
        assert [form["grant_type"] for path, form in guarded.asked if path == "/token"].count(
            "refresh_token"
        ) == expected
    assert guarded.paths().count("/authorize") == 1


async def test_a_token_is_renewed_before_it_ends_also_after_a_restart_and_once_for_many_calls(project, guarded):
    guarded.seconds = 5  # less than the safety margin, so the token counts as expired
    await project.sign_in()
    guarded.seconds = 3600
    project.restart()
    answers = await asyncio.gather(*(project.call() for _ in range(5)))
    assert [answer.status_code for answer in answers] == [200] * 5
    assert [form["grant_type"] for path, form in guarded.asked if path == "/token"].count("refresh_token") == 1
    assert all(entry["auth"] for path, entry in guarded.asked[-5:] if path == "/mcp")


async def test_when_renewing_is_refused_a_person_is_needed_again(project, guarded):
    await project.sign_in()
    guarded.age()
    guarded.renews = False
    with pytest.raises(SignInNeeded):
        await project.call()
    assert (await project.sign_ins.report(project.config())).stored is False
    guarded.renews = True
    assert (await project.sign_in()).state == "done"
    assert (await project.call()).status_code == 200
    assert guarded.paths().count("/register") <= 2


async def test_when_the_token_endpoint_is_down_what_is_kept_stays(project, guarded):
    await project.sign_in()
    guarded.age()
    guarded.token_status = 503
    with pytest.raises(WorkbenchError, match="could not renew your sign-in \\(HTTP 503\\)"):
        await project.call()
    guarded.token_status = 200
    assert (await project.call()).status_code == 200


async def test_more_rights_are_asked_for_when_a_tool_needs_them(project, guarded):
    await project.sign_in()
    with pytest.raises(SignInNeeded, match=r"requires more permissions than your sign-in granted\. It asks for: write"):
        await project.call(tool="change")
    assert project.notes[-1] == ("far", "needed")
    report = await project.sign_in()
    assert set(report.scope.split()) == {"read", "write"}
    assert (await project.call(tool="change")).json()["result"]["content"][0]["text"] == "did change"


async def test_consent_that_is_refused_is_read_on_the_page_and_in_the_window(project, guarded):
    guarded.consent = False
    report = await project.sign_in()
    assert report.state == "failed"
    assert report.fault.message == "The sign-in was declined: access_denied: You said no <b>twice</b>."
    (page,) = project.pages
    assert page.status_code == 400
    assert "&lt;b&gt;twice" in page.text
    assert "<b>" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


async def test_an_answer_with_a_wrong_state_is_not_used(project, guarded):
    guarded.state = "of-somebody-else"
    waiting = asyncio.create_task(project.sign_ins.sign_in(project.config()))
    while not project.pages:
        await asyncio.sleep(0.005)
    assert not waiting.done()
    assert "a different sign-in" in project.pages[0].text
    await project.sign_ins.cancel(project.config())
    report = await waiting
    assert "/token" not in guarded.paths()
    assert any("Rejected answers of other sign-ins" in step.sentence for step in report.steps)


async def test_nobody_comes_back(project, guarded):
    project.browses = False
    project.settings = replace(project.settings, signin_seconds=0)
    report = await project.sign_in()
    assert "was not completed within" in report.fault.message
    assert report.steps[-1].sentence == "The browser did not return in time."


async def test_a_return_from_another_issuer_is_not_used(project, guarded):
    guarded.iss = "https://elsewhere.example"
    report = await project.sign_in()
    assert "a different authorization server" in report.fault.message
    assert "The sign-in failed" in project.pages[0].text
    assert "/token" not in guarded.paths()


async def test_metadata_of_another_issuer_is_not_used(project, guarded):
    guarded.issuer = "https://elsewhere.example"
    report = await project.sign_in()
    assert "a different authorization server" in report.fault.message
    assert "/authorize" not in guarded.paths()


async def test_where_no_registration_is_offered_a_client_id_is_asked_for(project, guarded):
    guarded.register = False
    report = await project.sign_in()
    assert "does not register apps automatically" in report.fault.message
    assert '"clientId"' in report.fault.hint
    assert "/register" not in guarded.paths()
    report = await project.sign_in(project.config(clientId="given"))
    assert report.state == "done"


async def test_a_document_about_the_app_serves_as_its_client_id(project, guarded):
    guarded.cimd, guarded.register = True, False
    report = await project.sign_in(project.config(clientMetadataUrl="https://example.org/client.json"))
    assert report.state == "done"
    assert dict(guarded.asked)["/authorize"]["client_id"] == "https://example.org/client.json"


async def test_a_server_that_publishes_nothing_says_that_a_key_may_be_wanted(project, guarded):
    guarded.metadata = guarded.register = False
    report = await project.sign_in()
    assert "does not publish how to sign in" in report.fault.message
    assert "${keyring:name}" in report.fault.hint
    assert [step.status for step in report.steps if "metadata" in step.title] == [404, 404, 404]


async def test_a_token_endpoint_that_fails_is_told_on_the_page_too(project, guarded):
    guarded.token_status = 500
    report = await project.sign_in()
    assert "issued no token" in report.fault.message
    assert report.steps[-1].status == 500
    assert "The sign-in failed" in project.pages[0].text
    assert not report.stored


async def test_a_server_that_is_gone_is_a_sentence(project, guarded):
    await guarded.__aexit__()
    report = await project.sign_in()
    assert "refused the connection" in report.fault.message
    guarded._serving = asyncio.sleep(0)


async def test_the_scope_in_the_entry_counts(project, guarded):
    report = await project.sign_in(project.config(scope="write special"))
    assert report.scope == "write special"


async def test_a_machine_signs_in_by_itself(project, guarded):
    secret = "given-" + "secret"
    project.secrets.set_secret("mine", secret)
    config = project.config(clientId="given", clientSecret="${keyring:mine}", grantType="client_credentials")
    assert (await project.call(config)).status_code == 200
    guarded.age()
    assert (await project.call(config)).status_code == 200
    assert "/authorize" not in guarded.paths()
    assert secret not in told(await project.sign_ins.report(config))
    with pytest.raises(WorkbenchError, match="signs in automatically"):
        await project.sign_ins.sign_in(config)


async def test_signing_out_forgets_tokens_and_registration(project, guarded):
    await project.sign_in()
    report = await project.sign_ins.sign_out(project.config())
    assert (report.state, report.stored, report.steps) == ("", False, ())
    assert project.secrets.names() == ()
    with pytest.raises(SignInNeeded):
        await project.call()


async def test_tokens_that_vanished_from_the_keyring_are_asked_for_again(project, guarded):
    await project.sign_in()
    project.secrets.delete_secret("oauth:far")
    project.restart()
    with pytest.raises(SignInNeeded):
        await project.call()


async def test_a_sign_in_can_be_given_up_and_begun_again(project, guarded):
    project.browses = False
    waiting = asyncio.create_task(project.sign_ins.sign_in(project.config()))
    while not any(isinstance(event, SignInWanted) for event in project.events):
        await asyncio.sleep(0.005)
    await project.sign_ins.cancel(project.config())
    assert (await waiting).state == "cancelled"
    project.browses = True
    assert (await project.sign_in()).state == "done"
    assert guarded.paths().count("/register") <= 2


async def test_the_address_can_be_brought_by_hand_where_the_browser_is_on_another_machine(project, guarded):
    project.browses = False
    waiting = asyncio.create_task(project.sign_ins.sign_in(project.config()))
    while not any(isinstance(event, SignInWanted) for event in project.events):
        await asyncio.sleep(0.005)
    with pytest.raises(WorkbenchError, match="does not belong to the current sign-in"):
        project.sign_ins.bring(project.config(), "http://127.0.0.1/callback?code=x&state=y")
    url = next(event.url for event in project.events if isinstance(event, SignInWanted))
    import httpx2

    async with httpx2.AsyncClient(trust_env=False) as client:
        came = (await client.get(url)).headers["location"]
    project.sign_ins.bring(project.config(), f"  {came}\n")
    assert (await waiting).state == "done"


async def test_what_the_entry_brings_itself_is_left_alone(project, guarded):
    own = replace(project.config(), headers={"authorization": "Bearer mine"})
    assert project.sign_ins.authorize(own) is None


@pytest.mark.parametrize(
    "inner", ["http://169.254.169.254/as", "http://insecure.example/as", "https://u:p@x.example/as"]
)
async def test_metadata_does_not_lead_to_unguarded_or_inner_addresses(project, guarded, inner):
    from workbench.errors import WorkbenchError as Refused
    from workbench.servers.oauth.sign_in_flow import SignInFlow

    attempt = SignInFlow("https://far.example/mcp", None, None, None, None, 1, None)
    with pytest.raises(Refused, match="which the workbench does not contact"):
        attempt._check(inner)
    attempt._check("https://login.example/authorize")


async def test_kept_facts_that_cannot_be_read_are_as_if_not_there(project, guarded):
    for rubbish in ("[]", "{", json.dumps({"url": guarded.url, "tokens": {"access_token": 5}, "metadata": []})):
        project.secrets.set_secret("oauth:far", rubbish)
        project.restart()
        with pytest.raises(SignInNeeded):
            await project.call()


async def test_an_answer_that_drips_without_an_end_is_given_up(monkeypatch, callers):
    """Each chunk arrives in time, but the response never ends."""
    import httpx2

    from workbench.servers.oauth import sign_in_flow as attempt

    async def drip(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        with contextlib.suppress(OSError):
            while not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.01)

    monkeypatch.setattr(attempt, "_WHOLE_SECONDS", 0.2)
    async with callers(drip) as server, httpx2.AsyncClient(trust_env=False) as client:
        url = f"http://127.0.0.1:{server.port}/"
        asking = attempt.SignInFlow(url, None, None, SignInLog(SecretMasks()), SecretMasks(), 1, None)
        with pytest.raises(ServerFault, match="in time"):
            await asking._send(client, client.build_request("GET", url))
