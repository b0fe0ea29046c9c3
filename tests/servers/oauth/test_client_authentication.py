"""What proves a client of the entry: what its authorization server takes, unless the entry says otherwise."""

from __future__ import annotations

import pytest

from workbench.servers.oauth.client_credentials import proof
from workbench.servers.oauth.oauth_errors import SignInNeeded

SECRET = "given-" + "secret"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "client_secret_basic"),
        (["client_secret_post"], "client_secret_post"),
        (["client_secret_basic"], "client_secret_basic"),
        (["client_secret_post", "client_secret_basic"], "client_secret_basic"),
        (["none", "client_secret_post"], "client_secret_post"),
        (["private_key_jwt"], "client_secret_basic"),
    ],
)
def test_the_one_that_is_offered_is_chosen(offered, chosen):
    assert proof(offered) == chosen


@pytest.mark.parametrize("only", ["client_secret_basic", "client_secret_post"])
async def test_a_person_signs_in_and_renews_wherever_only_one_is_taken(project, guarded, only):
    guarded.proofs = [only]
    config = project.config(clientId="given", clientSecret=SECRET)
    assert (await project.sign_in(config)).state == "done"
    guarded.age()
    project.restart()
    assert (await project.call(config)).status_code == 200
    grants = [form["grant_type"] for path, form in guarded.asked if path == "/token"]
    assert grants == ["authorization_code", "refresh_token"]


@pytest.mark.parametrize("only", ["client_secret_basic", "client_secret_post"])
async def test_so_does_a_machine(project, guarded, only):
    guarded.proofs = [only]
    config = project.config(clientId="given", clientSecret=SECRET, grantType="client_credentials")
    assert (await project.call(config)).status_code == 200


async def test_what_the_entry_says_counts_more(project, guarded):
    guarded.proofs = ["client_secret_basic"]
    config = project.config(
        clientId="given",
        clientSecret=SECRET,
        grantType="client_credentials",
        tokenEndpointAuthMethod="client_secret_post",
    )
    with pytest.raises(Exception, match="invalid_client") as raised:
        await project.call(config)
    assert not isinstance(raised.value, SignInNeeded)
