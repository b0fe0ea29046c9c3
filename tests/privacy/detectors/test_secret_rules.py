"""The table of vendors' secrets: each form is found with its vendor, quickly in any text, and nothing else is."""

from __future__ import annotations

import importlib
import random
import re
import string
import time
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from workbench.privacy.detectors.credentials import find_secrets
from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.secret_rules import SecretRule, secret_rules

_parser = importlib.import_module("re._parser")
_VISIBLE = string.ascii_letters + string.digits + "!#$%&*+,-./:;<=>?@^_~"


def _letters(items: Iterable[Any]) -> str:
    """The letters of a character class."""
    signs = _VISIBLE + " "
    found, negated = "", False
    for operation, about in items:
        match str(operation):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found += chr(about)
            case "RANGE":
                found += "".join(map(chr, range(about[0], about[1] + 1)))
            case _:
                escape = {"DIGIT": r"\d", "WORD": r"\w", "SPACE": r"\s"}[str(about).removeprefix("CATEGORY_")]
                found += "".join(sign for sign in signs if re.match(escape, sign))
    return "".join(sign for sign in _VISIBLE if sign not in found) if negated else found


def _example(nodes: Iterable[Any], chance: random.Random) -> str:
    """A text that matches a pattern, except its lookarounds."""
    made = ""
    for operation, about in nodes:
        match str(operation):
            case "LITERAL":
                made += chr(about)
            case "IN":
                made += chance.choice(_letters(about))
            case "MAX_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = about
                made += "".join(
                    _example(body, chance) for _ in range(chance.randint(int(least), min(int(most), least + 8)))
                )
            case "SUBPATTERN":
                made += _example(about[3], chance)
            case "BRANCH":
                made += _example(chance.choice(about[1]), chance)
            case "GROUPREF":
                made += '"'
            case "ASSERT" | "ASSERT_NOT" | "AT":
                pass
            case other:
                raise AssertionError(other)
    return made


def _sentence(rule: SecretRule, secret: str) -> str:
    if rule.form == "named":
        return f'{rule.keywords[0].upper()}_API_KEY = "{secret}"'
    before = "12345678" if secret.startswith(":AA") else f"{rule.keywords[0]} "
    return f"{before}{secret} and more"


def test_the_secrets_of_each_vendor_are_found_and_named() -> None:
    chance = random.Random(1)
    for rule in secret_rules().rules:
        if rule.form in ("prose", "mixed", "login", "random"):
            continue  # judged by `credentials.py`
        tree = _parser.parse(rule.regex, re.ASCII)
        texts = [_sentence(rule, _example(tree, chance)) for _ in range(20)]
        found = sum(any(one.why == rule.reason for one in find_secrets(text)) for text in texts)
        assert found >= 10, (rule.reason, texts[0])  # the others are too even, or end where they cannot


def test_there_are_at_least_120_vendors() -> None:
    vendors = {rule.vendor for rule in secret_rules().rules} - {""}
    assert len(vendors) >= 120
    assert all(rule.reason.startswith(rule.vendor) for rule in secret_rules().rules)


def test_the_table_contains_the_rules_of_the_project() -> None:
    """`tools/convert_secret_rules.py` was run after the last change of `tools/secret_rules.toml`."""
    own = tomllib.loads((Path(__file__).parents[3] / "tools" / "secret_rules.toml").read_text(encoding="utf-8"))
    written = {(rule.vendor, rule.regex, rule.keywords) for rule in secret_rules().rules}
    wanted = {(rule["vendor"], rule["regex"], tuple(rule["keywords"])) for rule in own["rules"]}
    assert wanted - written == set()


@pytest.mark.parametrize("size", [20_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_texts_that_nearly_match_are_read_in_linear_time(size: int) -> None:
    chance = random.Random(2)
    for rule in secret_rules().rules:
        word = rule.keywords[0]
        secret = _example(_parser.parse(rule.regex, re.ASCII), chance)
        ends = (" ", "===", "_token=", f"_k={secret}")
        for piece in (word, *(word + end for end in ends), secret[:-1], f"{secret}-"):
            text = (piece * (size // len(piece) + 1))[:size]
            since = time.process_time()
            list(find_secrets(text))
            assert time.process_time() - since < size / 100_000, (rule.reason, piece)


HEX = "0123456789abcdef" * 5
MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fXaB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fX"


@pytest.mark.parametrize(
    ("secret", "reason"),
    [
        ("ATATT3" + MIXED + MIXED, "Atlassian API token"),
        ("dapi" + HEX[:32], "Databricks API token"),
        ("MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + MIXED[:27], "Discord bot token"),
        ("dp.pt." + MIXED[:43], "Doppler API token"),
        ("figd_" + MIXED[:40], "Figma access token"),
        ("glsa_" + MIXED[:32] + "_" + HEX[:8], "Grafana service account token"),
        ("ntn_" + "12345678901" + MIXED[:35], "Notion integration token"),
        ("sq0atp-" + MIXED[:22], "Square access token"),
        ("EAAA" + MIXED[:60], "Square access token"),
        ("sbp_" + HEX[:40], "Supabase access token"),
        ("sb_secret_" + MIXED[:31], "Supabase secret key"),
    ],
)
@pytest.mark.parametrize("text", ["use {} here", "discord bot 'x {}'", 'x = bot.run("{}")', "bot {}, then"])
def test_secrets_are_found_with_the_vendor_as_reason(secret: str, reason: str, text: str) -> None:
    text = f"discord {text.format(secret)}"
    assert (secret, reason) in [(text[one.start : one.end], one.why) for one in detect(text)]


def test_a_telegram_token_is_found_without_the_number_of_its_bot() -> None:
    (found,) = find_secrets("https://api.telegram.org/bot123456789:" + "AAF" + MIXED[:32] + "/getMe")
    assert found.why == "Telegram bot token"


@pytest.mark.parametrize(
    "text",
    [
        'JIRA_TOKEN="{}"',
        "jira_api_token: {}",
        '{{"confluenceToken": "{}"}}',
        "token for jira = '{}'",
        r"{{\"jira_token\": \"{}\"}}",
    ],
)
def test_a_value_under_a_vendors_name_is_found(text: str) -> None:
    text = text.format(MIXED[:24])
    assert "Atlassian API token" in [one.why for one in find_secrets(text)]


@pytest.mark.parametrize(
    "text",
    [
        'jira = "abcdefghijklmnopqrstuvwx"',  # a word
        'jira_board = "aB3dE6gH9jK2mN5pQ8sT1vW4"',  # no key, token or secret
        'jira_token = "aaaaaaaaaaaaaaaaaaaaaaa1"',  # a placeholder
        "mistral-7b, linear, cursor and key",
        "sentry-sdk==2.75.0 --hash=sha256:" + HEX[:64],
        "sk_test_iter_forwards_options",
        "Basic Authentication and Basic Configuration, the basic CloudFormation and the basic MIMEApplication",
        "xoxb- is the beginning of a bot token",
    ],
)
def test_other_text_with_a_vendors_name_stays(text: str) -> None:
    assert list(find_secrets(text)) == []


def test_positions_are_right_after_letters_whose_lower_case_is_longer() -> None:
    text = "İİİ dapi" + HEX[:32]
    assert [text[one.start : one.end] for one in find_secrets(text)] == ["dapi" + HEX[:32]]


def test_secrets_are_found_across_the_pieces_of_a_long_text() -> None:
    secret = "dapi" + HEX[:32]
    for before in range(49_950, 50_010):
        text = "." * before + " " + secret + "." * 100
        assert [one.start for one in find_secrets(text)] == [before + 1]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("os.environ['DATABASE_PASSWORD'] = 'B5OBnt99sBUKl5'", "B5OBnt99sBUKl5"),
        ("define('DB_PASSWORD', 'xYoF2xOufhEM');", "xYoF2xOufhEM"),
        ('std::string apiKey("uYq7yRgAJHAyhLx7WWqR");', "uYq7yRgAJHAyhLx7WWqR"),
        ('NSString *secret = @"jCVXS9xrD5JNn5Ck";', "jCVXS9xrD5JNn5Ck"),
        ('<add key="ApiKey" value="GbhhSqUPLGZWM2eV" />', "GbhhSqUPLGZWM2eV"),
        ("deploy --password UUWKKcai4Og1 --yes", "UUWKKcai4Og1"),
        ("curl -u admin:P7gs8SH7W4Fk https://host.corp/api", "admin:P7gs8SH7W4Fk"),
        ("mysql -u root -pP7gs8SH7W4Fk0y db", "P7gs8SH7W4Fk0y"),
        ("machine api.corp.io login svc password AtHcVURJ2l1N", "AtHcVURJ2l1N"),
        ("[DEBUG] Using Key=LTNupt1rAKsjseqiWkncBjClNvJu", "LTNupt1rAKsjseqiWkncBjClNvJu"),
        (
            "//npm.corp.io/:_authToken=9081b5cd-1891-498b-61ed-76a61a88320f",
            "9081b5cd-1891-498b-61ed-76a61a88320f",
        ),
        ("acme_key: LTNupt1rAKsjseqiWkncBjClNvJu", "LTNupt1rAKsjseqiWkncBjClNvJu"),
        ("smtp.password=Skt2x86K&QZ1a1", "Skt2x86K&QZ1a1"),
    ],
)
def test_a_word_in_any_syntax_announces_a_random_secret(text: str, secret: str) -> None:
    assert secret in [text[one.start : one.end] for one in detect(text)]


@pytest.mark.parametrize(
    "text",
    [
        "sort_key: createdAt",
        "cache key=user:12:profile and partition_key = orderDate",
        "token = tokens['access'] or get_token('refresh')",
        "run it with --password PASSWORD or --token <TOKEN>",
        'throw new Error("Invalid token"), callback("password_reset")',
        "key: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ],
)
def test_words_of_code_after_a_key_are_no_secrets(text: str) -> None:
    assert [one for one in detect(text) if one.kind == "SECRET"] == []


@pytest.mark.parametrize(
    "text",
    [
        'fathomApiKey := "{}"',
        "zenhub-key: {}",
        "kiteworks secret - {}",
        'req.Header.Set("X-Fathom-Key", "{}")',
        "https://tiles.corp.io/map?key={}&zoom=3",
        'airbrake.configure(projectKey="{}")',
        "APP_KEY=base64:{}",
        'mixpanel.init("{}")',
        "heroku key {}",
        "| deploykey | {} |",
        "jira_token = {}",
        'browserstackKey: "{}"',
        'process.env.FATHOM_TOKEN || "{}"',
        'conn.setToken(\n    "{}"\n)',
        '<meta name="api-key" content="{}">',
        "API key\n{}\n",
    ],
)
@pytest.mark.parametrize(
    "secret", [HEX[3:35], MIXED[:30], "k4v7x2q9w1z8m3n6b5c0d8f2", "8v38umjjxjeqx1ca599q76109nsbq3ui"]
)
def test_a_random_value_is_a_secret_under_the_key_of_any_product(text: str, secret: str) -> None:
    assert secret in [text.format(secret)[one.start : one.end] for one in find_secrets(text.format(secret))]


@pytest.mark.parametrize(
    "text", ['{{"ghcr.io": {{"auth": "{}"}}}}', r"{{\\\"ghcr.io\\\":{{\\\"auth\\\":\\\"{}\\\"}}}}"]
)
def test_a_login_of_a_container_registry_is_found(text: str) -> None:
    login = "bWx1bmQ6NXRHakRGenpyUENQSDQ="
    assert login in [text.format(login)[one.start : one.end] for one in find_secrets(text.format(login))]


@pytest.mark.parametrize(
    "secret", ["sk_live_" + "a" * 24, "ghp_" + "b" * 36, "AKIA" + "B" * 16, "SG." + "a" * 22 + "." + "b" * 43]
)
def test_a_repeated_letter_after_a_vendors_prefix_is_a_secret(secret: str) -> None:
    assert [one for one in find_secrets(f"key = {secret}") if one.end - one.start == len(secret)]


@pytest.mark.parametrize(
    "text",
    [
        "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx or AC00000000000000000000000000000000",
        f'cacheKey: "{HEX[3:35]}", key_sha256 = "{HEX[:64]}", Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==',
        f'commit {HEX[:40]}, "kid": "{HEX[:32]}", public_key = "04{HEX[:64]}"',
        "serviceAccountToken default-token-x7f9k, trace_key=4bf92f3577b34da6a3ce929d0e0e4736, YOUR_API_KEY_HERE_1234",
        "INFO token-service request_id=4884a66e-5115-ec5d-a06f-f5987db01962 auth-token-svc-7d9f8b6c5d-x2k4q Running",
        "def add(self, filterKey: PySide6.Qt3DRender.Qt3DRender.QFilterKey, sort: 1699999999999_abc123def456)",
        f'nextPageToken: "{MIXED[:24]}", s3_key: uploads/2024/{HEX[:32]}.png',
        'TLS_KEY_CIPHER = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", ABC_KEY = "abcdefghijklmnopqrstuvwxyz0123456789"',
        'api_key_name = "prod-eu-west-1-reader-01", key: menu.item.open-recent-3, author key: "lastName2FirstName"',
    ],
)
def test_hashes_identifiers_and_page_tokens_stay(text: str) -> None:
    assert list(find_secrets(text)) == []
