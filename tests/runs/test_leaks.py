"""Programs in the real sandbox print private values in many encodings, and none of them reaches the model.

Each encoding is tried with each value of two customers, printed, returned and raised. The model's text is searched for
the encoded form of every five consecutive letters of a value.
"""

from __future__ import annotations

import base64
import html
import json
import quopri
import random
import re
import unicodedata
import urllib.parse
from functools import partial
from itertools import takewhile
from xml.sax.saxutils import quoteattr

import pytest
from msgspec.structs import replace

from tests.broker.test_run_guard import Person
from workbench.privacy import answer_index
from workbench.privacy.vault import Vault

READ = """
import base64, html, json, quopri, re, unicodedata, urllib.parse
from xml.sax.saxutils import quoteattr
from servers.demo import get_customer
people = [await get_customer(customer_id=name) for name in ("CUS-0003", "CUS-0011")]
values = [one[field] for one in people for field in ("name", "email", "phone", "address", "date_of_birth")]
"""
WAYS = {  # encodings: expressions over one value, v
    "verbatim": "v",
    "tuple": "repr((1, v))",
    "csv": "f'7,\"{v}\",open'",
    "json": "json.dumps({'x': v})",
    "json in json": "json.dumps(json.dumps({'x': [v]}))",
    "ascii": "ascii(v)",
    "bytes": "repr(v.encode())",
    "u escapes": "''.join(f'\\\\u{ord(c):04x}' for c in v)",
    "x escapes": "''.join(f'\\\\x{ord(c):02x}' if ord(c) < 256 else c for c in v)",
    "html": "''.join(f'&#{ord(c)};' for c in v)",
    "url": "urllib.parse.quote(v, safe='')",
    "url with plus": "'https://w.test/?who=' + urllib.parse.quote_plus(v)",
    "url, every letter": "''.join(f'%{b:02X}' for b in v.encode())",
    "base64": "base64.b64encode(v.encode()).decode()",
    "base64 of a sentence": "base64.b64encode(f'to: {v}; ok'.encode()).decode()",
    "base64 for urls": "base64.urlsafe_b64encode(f'?~>{v}'.encode()).decode()",
    "hex": "v.encode().hex()",
    "hex, upper": "v.encode().hex().upper()",
    "hex with blanks": "v.encode().hex(' ')",
    "upper": "v.upper()",
    "lower": "v.lower()",
    "swapped case": "v.swapcase()",
    "reversed": "v[::-1]",
    "without separators": "re.sub(r'[^0-9A-Za-z\\u00c0-\\uffff@]', '', v)",
    "without blanks": "v.replace(' ', '')",
    "other separators": "re.sub(r'[ -]', '_', v)",
    "glued": "f'x{v}y'",
    "padded": "v.center(80, '*')",
    "markdown": "f'| 1 | **{v}** |'",
    "quoted-printable": "quopri.encodestring(v.encode()).decode()",
    "quoted-printable, every letter": "''.join(f'={b:02X}' for b in v.encode())",
    "html, named": "html.escape(v).replace('@', '&commat;').replace('.', '&period;')",
    "html, hex": "''.join(f'&#x{ord(c):x};' for c in v)",
    "zero width": "'\\u200b'.join(v)",
    "soft hyphens": "'\\u00ad'.join(v)",
    "word joiners": "'\\u2060'.join(v)",
    "byte order mark": "'\\ufeff' + v",
    "colours": "''.join(f'\\x1b[3{at % 8}m{c}' for at, c in enumerate(v))",
    "full width": "''.join(chr(ord(c) + 0xFEE0) if '!' <= c <= '~' else c for c in v)",
    "circled": "''.join(chr(0x24B6 + ord(c.upper()) - 65) if 'A' <= c.upper() <= 'Z' else c for c in v)",
    "mathematical": "''.join(chr(0x1D41A + ord(c.lower()) - 97) if 'a' <= c.lower() <= 'z' else c for c in v)",
    "letters of another script": "v.translate(str.maketrans('aceop', '\\u0430\\u0441\\u0435\\u043e\\u0440'))",
    "decomposed": "unicodedata.normalize('NFD', v)",
    "title": "v.title()",
    "base32": "base64.b32encode(v.encode()).decode()",
    "base64 twice": "base64.b64encode(base64.b64encode(v.encode())).decode()",
    "base64 of a url": "base64.b64encode(urllib.parse.quote(v).encode()).decode()",
    "base64 in lines": "base64.encodebytes(('x' * 70 + v).encode()).decode()",
    "base64 of utf-16": "base64.b64encode(v.encode('utf-16-le')).decode()",
    "url twice": "urllib.parse.quote(urllib.parse.quote(v, safe=''), safe='')",
    "hex of base64": "base64.b64encode(v.encode()).hex()",
    "hex of utf-16": "v.encode('utf-16-le').hex()",
    "hex with 0x": "', '.join(f'0x{b:02x}' for b in v.encode())",
    "octal": "''.join(f'\\\\{b:03o}' for b in v.encode())",
    "u escapes in braces": "''.join(f'\\\\u{{{ord(c):x}}}' for c in v)",
    "css escapes": "''.join(f'\\\\{ord(c):x} ' for c in v)",
    "json in json in json": "json.dumps(json.dumps(json.dumps([v])))",
    "letters with blanks": "' '.join(v)",
    "letters with dots": "'.'.join(v)",
    "list of letters": "repr(list(v))",
    "xml": "f'<a b={quoteattr(v)}/>'",
    "sql": "'INSERT INTO t VALUES (1, ' + repr(v) + ')'",
    "tabs": "'\\t'.join(['7', v, 'open'])",
    "no-break spaces": "v.replace(' ', '\\u00a0')",
    "short lines": "'\\n'.join(v[at : at + 6] for at in range(0, len(v), 6))",
}
assert len(WAYS) >= 60


ALL = "{" + ", ".join(f"{way!r}: [{each} for v in values]" for way, each in WAYS.items()) + "}"
PROGRAMS = {
    "printed": READ + f"for way, found in {ALL}.items():\n    print(way, *found, sep='\\n')",
    "returned": READ + f"result = {ALL}",
    "raised": READ + f"raise ValueError('\\n'.join(one for found in {ALL}.values() for one in found))",
}


def alike(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def writings(way: str, values: list[str]) -> set[str]:
    """The encoded forms of any five consecutive letters of these values, without what the encoding adds around them."""
    scope = {"base64": base64, "html": html, "json": json, "quopri": quopri, "quoteattr": quoteattr, "re": re}
    scope |= {"unicodedata": unicodedata, "urllib": urllib}
    found: set[str] = set()
    for value in values:
        whole, plain = (str(eval(WAYS[way], {**scope, "v": v})) for v in (value, "~" * len(value)))
        head, tail = alike(whole, plain), alike(whole[::-1], plain[::-1])
        core = whole[head : len(whole) - tail]
        size = max(5, 5 * len(core) // len(value))
        found |= {core[at : at + size] for at in range(len(core) - size + 1)}
    return found


@pytest.fixture
async def people(demo):
    from workbench.broker.broker import Broker
    from workbench.records import Origin, ToolCall

    found = []
    for name in ("CUS-0003", "CUS-0011"):
        call = ToolCall("c", "demo", "get_customer", {"customer_id": name}, Origin.PERSON, "person")
        found.append(json.loads((await Broker(demo.services).call(call)).structured))
    return [one[field] for one in found for field in ("name", "email", "phone", "address", "date_of_birth")]


@pytest.mark.parametrize(("how", "most"), [*((how, answer_index.MOST_NEW) for how in PROGRAMS), ("printed", 0)])
async def test_no_way_to_write_a_value_leads_it_to_the_model(demo, people, how, most, monkeypatch):
    monkeypatch.setattr(answer_index, "MOST_NEW", most)  # with 0, what leaves is looked up in short answers too
    demo.settings = replace(demo.settings, run_answer_tokens=1_000_000, isolation_high="process")
    person = Person(demo)  # the user allows the program, though its findings say that it encodes values
    run = await demo.run_manager.wait_until_finished(
        demo.run_manager.submit(PROGRAMS[how], demo.services.sessions.open("a")).id
    )
    person.leave()
    assert person.decided == 1
    assert run.state == ("failed" if how == "raised" else "done"), run.fault
    shown = re.sub(r"\[[A-Z_]+_\d+\.\w{4}\]", " ", run.model_view)
    leaks = {way: found for way in WAYS if (found := sorted(one for one in writings(way, people) if one in shown))}
    assert leaks == {}
    assert run.model_view.count("[EMAIL_") >= len(WAYS), "they were there"


ALONE = {
    "name": "Wilhelmina Qvortrup",
    "email": "w.qvortrup@example.org",
    "phone": "+44 20 7946 0958",
    "address": "17 Larkspur Mews, Ostermoor",
    "date_of_birth": "1984-07-23",
}


@pytest.fixture(scope="module")
def long_answer():
    """A record among 1,500."""
    chance = random.Random(1)
    word = partial(_word, chance)
    rows = [
        {
            "name": f"{word().title()} {word().title()}",
            "email": f"{word()}@example.org",
            "phone": f"+44 20 {chance.randint(1000, 9999)} {chance.randint(1000, 9999)}",
            "address": f"{chance.randint(1, 99)} {word().title()} Mews, {word().title()}",
            "date_of_birth": f"19{chance.randint(50, 99)}-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}",
            "note": " ".join(word() for _ in range(8)),
        }
        for _ in range(1500)
    ]
    return json.dumps({"customers": [*rows[:700], ALONE, *rows[700:]]})


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(("ba", "ke", "lo", "mu", "ri", "sa", "te", "vo", "zu", "ni", "pra", "sto"), k=3))


@pytest.mark.parametrize("way", WAYS)
def test_a_value_of_a_long_answer_is_found_though_it_leaves_in_one_spelling_only(way, long_answer):
    scope = {"base64": base64, "html": html, "json": json, "quopri": quopri, "quoteattr": quoteattr, "re": re}
    scope |= {"unicodedata": unicodedata, "urllib": urllib}
    for value in ALONE.values():
        vault = Vault("session")
        vault.keep(long_answer, "crm")
        shown = vault.sanitize(f"order {eval(WAYS[way], {**scope, 'v': value})}\nok")
        shown = re.sub(r"\[[A-Z_]+_\d+\.\w{4}\]", " ", shown)
        assert [one for one in writings(way, [value]) if one in shown] == []
