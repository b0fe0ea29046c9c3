"""Reads addresses, identifiers, secrets, log lines and sample databases of other projects for
`privacy_others_fetch.py`: each function yields part, shape and marked value.
"""

from __future__ import annotations

import ast
import io
import json
import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import yaml
from privacy_marked import mark
from privacy_others_prose import EITHER

Made = Iterator[tuple[str, str, Any]]
Files = Callable[[str], Iterator[tuple[str, bytes]]]  # pattern of paths → paths and contents
# Frames in which addresses stand in prose, by language; OpenCage's countries by language.
FRAMES = {
    "English": ("Please send the replacement to {} before Friday.", "us gb ie au ca nz za in sg"),
    "German": ("Bitte schicken Sie das Paket an {}, danke.", "de at ch"),
    "French": ("Merci d'envoyer le colis à {} avant vendredi.", "fr be lu mc"),
    "Spanish": ("Por favor, envíe el paquete a {} antes del viernes.", "es mx ar cl co pe uy"),
    "Italian": ("Si prega di spedire il pacco a {} entro venerdì.", "it sm va"),
    "Portuguese": ("Por favor, envie o pacote para {} até sexta-feira.", "pt br ao mz"),
    "Dutch": ("Stuur het pakket alstublieft naar {} voor vrijdag.", "nl sr"),
    "Polish": ("Proszę wysłać paczkę na adres {} do piątku.", "pl"),
    "Swedish": ("Skicka paketet till {} före fredag.", "se"),
    "Danish": ("Send venligst pakken til {} inden fredag.", "dk"),
    "Norwegian": ("Send pakken til {} innen fredag.", "no"),
    "Finnish": ("Lähetä paketti osoitteeseen {} ennen perjantaita.", "fi"),
    "Czech": ("Pošlete prosím balík na adresu {} do pátku.", "cz sk"),
    "Turkish": ("Lütfen paketi {} adresine cuma gününe kadar gönderin.", "tr"),
    "Russian": ("Пожалуйста, отправьте посылку по адресу {} до пятницы.", "ru by"),
    "Ukrainian": ("Будь ласка, надішліть посилку на адресу {} до п'ятниці.", "ua"),
    "Greek": ("Παρακαλώ στείλτε το δέμα στη διεύθυνση {} πριν την Παρασκευή.", "gr cy"),
    "Japanese": ("荷物は{}までお送りください。", "jp"),
    "Korean": ("소포를 {} 로 보내 주세요.", "kr"),
    "Chinese": ("请把包裹寄到{}，谢谢。", "cn tw hk"),
}  # fmt: skip


def marked_words(text: str, values: Sequence[tuple[str, str]], rest: str = "") -> str | None:
    """The text with each value marked where it first occurs after the ones before; None if one is missing. `rest` is
    the kind of everything else.
    """
    spans: list[tuple[int, int, str]] = []
    for value, kind in sorted(values, key=lambda one: -len(one[0])):
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
            if all(match.end() <= start or match.start() >= end for start, end, _ in spans):
                spans.append((match.start(), match.end(), kind))
                break
        else:
            return None
    parts, at = [], 0
    for start, end, kind in sorted(spans):
        between = text[at:start]
        parts += [mark(rest, between) if rest and between else between, mark(kind, text[start:end])]
        at = end
    tail = text[at:]
    return "".join([*parts, mark(rest, tail) if rest and tail else tail])


def opencage(files: Files) -> Made:
    """OpenCage's test cases: in a sentence, as lines, and as components under their keys."""
    for language, (frame, countries) in FRAMES.items():
        for country in countries.split():
            for _, data in files(f"testcases/countries/{country}.yaml"):
                for case in yaml.load_all(data, yaml.BaseLoader):
                    yield from _case(language, frame, case)


def _case(language: str, frame: str, case: dict[str, Any]) -> Made:
    parts = (case or {}).get("components") or {}
    written = str((case or {}).get("expected", "")).strip()
    kinds = {"road": "ADDRESS", "postcode": "POSTCODE"}
    if not parts.get("road") or not parts.get("house_number"):
        return
    street = next((line for line in written.split("\n") if parts["road"].lower() in line.lower()), None)
    if street is None or parts["house_number"] not in street:
        return
    values = [(street.strip(), "ADDRESS")]
    found = re.search(rf"(?<!\w){re.escape(str(parts.get('postcode') or '-none-'))}(?!\w)", written)
    if found:
        values.append((found[0], "POSTCODE"))
    for shape, text in (("sentence", frame), ("lines", "{}\n")):
        flat = written.replace("\n", ", ") if shape == "sentence" else written
        marked = marked_words(flat, values, EITHER)
        if marked is not None:
            yield f"{language} {shape}", "opencage", text.replace("{}", marked)
    record = {key: mark(kinds.get(key, EITHER), str(value)) for key, value in parts.items() if str(value).strip()}
    yield f"{language} keys", "opencage", record


_PARSE = re.compile(r'test_parse_result_equals\(\s*("(?:[^"\\]|\\.)*"),(.*?)\)\);', re.DOTALL)
_LABELLED = re.compile(r'\{"(\w+)",\s*"((?:[^"\\]|\\.)*)"\}')


def libpostal(data: bytes) -> Made:
    """Addresses of libpostal's parser tests under the key `address` and alone in a line."""
    source = data.decode("utf-8")
    country = ""
    for block in re.split(r"TEST test_", source)[1:]:
        country = block.split("_parses")[0]
        for match in _PARSE.finditer(block):
            text = json.loads(match[1])
            labelled = dict(_LABELLED.findall(match[2]))
            values = [(labelled[key], "ADDRESS") for key in ("road", "house_number") if key in labelled]
            values += [(labelled[key], "POSTCODE") for key in ("postcode",) if key in labelled]
            marked = marked_words(text, values, EITHER) if "road" in labelled else None
            if marked is not None:
                yield "under the key address", f"libpostal {country}", {"id": 7, "address": marked}
                yield "alone in a line", f"libpostal {country}", marked


_PERSONAL_NUMBERS = (
    "ar.dni", "at.vnr", "au.tfn", "be.nn", "be.ssn", "bg.egn", "bg.pnf", "br.cpf", "ca.sin", "ch.ssn", "cl.rut",
    "cn.ric", "co.nit", "cu.ni", "cz.rc", "de.idnr", "dk.cpr", "do.cedula", "ec.ci", "ee.ik", "eg.tn", "es.dni",
    "es.nie", "fi.hetu", "fr.nir", "fr.nif", "gb.nhs", "gb.utr", "gr.amka", "gt.nit", "hr.oib", "id.nik", "ie.pps",
    "il.idnr", "in_.aadhaar", "in_.pan", "in_.epic", "is_.kennitala", "it.codicefiscale", "kr.rrn", "lt.asmens",
    "lv.pk", "mx.curp", "mx.rfc", "my.nric", "nl.bsn", "no.fodselsnummer", "nz.ird", "pe.cui", "pk.cnic", "pl.pesel",
    "ro.cnp", "se.personnummer", "si.emso", "th.pin", "tr.tckimlik", "ua.rntrc", "us.ssn", "us.itin", "us.ptin",
    "uy.rut", "ve.rif", "za.idnr", "za.tin",
)  # fmt: skip


def stdnum(files: Files) -> Made:
    """Valid numbers in the docstrings of python-stdnum, under the module's name and after the docstring's title."""
    for module in _PERSONAL_NUMBERS:
        for _, data in files(f"stdnum/{module.replace('.', '/')}.py"):
            text = ast.get_docstring(ast.parse(data)) or ""
            title = text.split("\n\n")[0].replace("\n", " ").rstrip(".")
            valid = re.findall(r">>> (?:validate|compact|format)\('([^']+)'\)[^\n]*\n'", text)
            for number in dict.fromkeys(valid):
                key = module.split(".")[1]
                yield "under a key", module, {"id": 31, key: mark("NATIONAL_ID", number), "status": "ok"}
                yield "after its title", module, f"{title}: {mark('NATIONAL_ID', number)}"
    for _, data in files("tests/test_iban.doctest"):
        for number in dict.fromkeys(re.findall(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b", data.decode())):
            if not _is_iban(number):
                continue
            yield "IBAN in a line", "iban", f"paid from {mark('IBAN', number)} on Monday"
            yield "under a key", "iban", {"iban": mark("IBAN", number)}


def _is_iban(number: str) -> bool:
    plain = number.replace(" ", "")
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1


def phones() -> Made:
    """libphonenumber's example numbers of every region: mobile and fixed line, in four spellings."""
    import phonenumbers as pn

    kinds = (pn.PhoneNumberType.MOBILE, pn.PhoneNumberType.FIXED_LINE)
    seen: set[str] = set()
    for region in sorted(pn.SUPPORTED_REGIONS):
        for kind in kinds:
            number = pn.example_number_for_type(region, kind)
            if number is None:
                continue
            plus = pn.format_number(number, pn.PhoneNumberFormat.INTERNATIONAL)
            plain = pn.format_number(number, pn.PhoneNumberFormat.E164)
            national = pn.format_number(number, pn.PhoneNumberFormat.NATIONAL)
            if plain in seen:
                continue
            seen.add(plain)
            yield "international in a line", region, f"call {mark('PHONE', plus)} tomorrow"
            yield "E.164 in a line", region, f"sent to {mark('PHONE', plain)} ok"
            yield "tel: URI", region, f'<a href="tel:{mark("PHONE", plain)}">call</a>'
            yield "national under a key", region, {"id": 5, "phone": mark("PHONE", national)}


def cards(files: Files, pattern: str) -> Made:
    """Test card numbers of payment SDKs, plain, in groups, and under a key."""
    for path, data in files(pattern):
        for number in dict.fromkeys(re.findall(r"[\"'](\d{13,19})[\"']", data.decode("utf-8", "ignore"))):
            if not _is_luhn(number):
                continue
            grouped = " ".join(re.findall(r"\d{1,4}", number))
            yield "plain in a line", path, f"charged {mark('CARD', number)} twice"
            yield "grouped in a line", path, f"charged {mark('CARD', grouped)} twice"
            yield "under a key", path, {"card_number": mark("CARD", number), "cvc": mark(EITHER, "123")}


def _is_luhn(number: str) -> bool:
    digits = [int(one) for one in reversed(number)]
    return (sum(digits[::2]) + sum(sum(divmod(2 * one, 10)) for one in digits[1::2])) % 10 == 0


_GO_TEXT = r'(?:`[^`]*`|"(?:[^"\\\n]|\\.)*")'
_GO_CASE = re.compile(
    rf'name:\s*"([^"]*)",\s*input:\s*({_GO_TEXT}|\w+|fmt\.Sprintf\((?:{_GO_TEXT}|[^)`"])*+\))\s*,\s*want:\s*\[\]string\{{([^}}]*)\}}'
)
_GO_CONSTANT = re.compile(r'(\w+)\s*=\s*(`[^`]*`|"(?:[^"\\\n]|\\.)*")')


def trufflehog(files: Files) -> Made:
    """Inputs of trufflehog's detector tests with the secrets that it wants found, without tests of invalid input."""
    for path, data in files(r"pkg/detectors/.*_test\.go"):
        if "integration" in path:
            continue
        vendor = path.split("/")[2]
        source = data.decode("utf-8", "ignore")
        constants = {key: _go(value) for key, value in _GO_CONSTANT.findall(source)}
        seen: set[str] = set()
        for title, given, wanted in _GO_CASE.findall(source):
            text = _go_input(given, constants)
            secrets = [
                _go(one) if one[0] in '`"' else constants.get(one, "")
                for one in re.findall(r'`[^`]*`|"(?:[^"\\]|\\.)*"|\w+', wanted)
            ]
            if text is None or "invalid" in title or not secrets or text in seen or len(text) > 8000:
                continue
            seen.add(text)
            marked = _with_secrets(text, [one for one in dict.fromkeys(secrets) if _is_secret(one)])
            if marked is not None:
                yield "trufflehog", vendor, marked


def _go_input(given: str, constants: dict[str, str]) -> str | None:
    """The text of a literal, a constant, or a Sprintf of both."""
    if not given.startswith("fmt.Sprintf("):
        return _go(given) if given[0] in '`"' else constants.get(given)
    parts = re.findall(rf"{_GO_TEXT}|\w+", given[len("fmt.Sprintf(") : -1])
    texts = [_go(part) if part[0] in '`"' else constants.get(part) for part in parts]
    if None in texts or not texts or len(re.findall("%[sv]", texts[0] or "")) != len(texts) - 1:
        return None
    rest = iter(texts[1:])
    return re.sub("%[sv]", lambda _: next(rest) or "", texts[0] or "")


_LIKE_SECRET = re.compile(r"//[^/@\s]+@|(?<=//)[^/@:\s]+:(?=\S+@)|(?<![\w.-])(?=[A-Za-z._-]*\d)[\w.+=-]{16,}(?![\w-])")


def _with_secrets(text: str, secrets: Sequence[str]) -> str | None:
    """The text with each secret marked wherever it occurs; other long strings with digits, such as invalid variants of
    a secret, are EITHER.
    """
    spans: list[tuple[int, int, str]] = []
    for secret in sorted(set(secrets), key=lambda one: -len(one)):
        places = [match.span() for match in re.finditer(re.escape(secret), text)]
        free = [place for place in places if all(place[1] <= start or place[0] >= end for start, end, _ in spans)]
        if not free:
            return None
        spans += [(start, end, "SECRET") for start, end in free]
    if not spans:
        return None
    for match in _LIKE_SECRET.finditer(text):
        if all(match.end() <= start or match.start() >= end for start, end, _ in spans):
            spans.append((*match.span(), EITHER))
    return _marked_spans(text, spans)


def _marked_spans(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, kind in sorted(spans):
        parts += [text[at:start], mark(kind, text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _is_secret(wanted: str) -> bool:
    """Whether what a test wants is a secret, not an address or an account."""
    return len(wanted) >= 10 and "://" not in wanted and "@" not in wanted and not re.match(r"jdbc:|[a-z.-]+$", wanted)


def _go(literal: str) -> str:
    if literal[0] == "`":
        return literal[1:-1]
    try:
        return str(json.loads(literal))
    except ValueError:
        return literal[1:-1]


def secretlint(files: Files) -> Made:
    """Inputs of secretlint's rules with the ranges that it reports."""
    for path, data in files(r"packages/@secretlint/secretlint-rule-.*/test/snapshots/ng.*/output\.json"):
        answer = json.loads(data)
        text = answer.get("sourceContent") or ""
        rule = path.split("/")[2].removeprefix("secretlint-rule-")
        if rule in ("example", "filter-comments", "no-dotenv", "no-homedir", "pattern"):
            continue
        found = [text[slice(*one["range"])] for one in answer["messages"] if one.get("type") == "message"]
        marked = _with_secrets(text, [value for one in found for value in [_secret_of(one)] if len(value) > 5])
        if marked is not None:
            yield "secretlint", rule, marked


def _secret_of(reported: str) -> str:
    """What is secret in a reported range: the value after `=` or `:` and quotes, the password of an address."""
    if match := re.fullmatch(r".*?\w+://[^:/@]*:(.+)@[^@]*", reported):
        return match[1]
    if "://" in reported or "\n" in reported or len(reported) > 1000:
        return ""
    if match := re.fullmatch(r"[\w.\s\"'-]{1,60}[=:]{1,2}>?\s*[\"']?([^\s\"']+)[\"']?", reported):
        return match[1]
    return reported


_SHARED_USERS = {
    "root", "admin", "administrator", "system", "nobody", "guest", "daemon", "postgres", "mysql", "www-data", "user",
    "anonymous",
    "local service", "network service", "unknown", "-", "sshd", "elastic", "apache", "nginx", "default", "test",
    "service",
}  # fmt: skip
_FORMS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|"
    r"(?<![\w:])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}(?![\w:])"
)
_KEYED = re.compile(
    r'"[\w.]*(?:user|owner|actor|mail|login|person|phone|surname|given|first|last|full_?name|display_?name|real_?name)'
    r'[\w.]*\\?"\s*:\s*\\?"([^"\\]+)',
    re.IGNORECASE,
)
_OWNERS = {"user", "source", "client", "destination", "server", "host", "related", "target", "effective", "changes"}


def elastic(files: Files, seed: int, most: int = 1500) -> Made:
    """Log events of Elastic's integrations with the fields that their pipelines extract: user names, full names, e-mail
    and network addresses, where the value occurs in the original event.
    """
    rng = random.Random(seed)
    found = list(files(r"packages/[a-z].*/_dev/test/pipeline/.*-expected\.json"))
    rng.shuffle(found)
    by_package: dict[str, int] = {}
    made = 0
    for path, data in found:
        package = path.split("/")[1]
        if package.startswith(("ti_", "claude")) or len(data) > 3_000_000:
            continue
        events = json.loads(data).get("expected") or []
        rng.shuffle(events)
        for event in events:
            text = ((event or {}).get("event") or {}).get("original")
            if not isinstance(text, str) or not 40 < len(text) < 3000 or by_package.get(package, 0) >= 8:
                continue
            marked = _event(text, event)
            if marked is None:
                continue
            by_package[package] = by_package.get(package, 0) + 1
            made += 1
            yield ("JSON events" if text.lstrip()[:1] == "{" else "log lines"), package, marked
            if made >= most:
                return


def _event(text: str, event: dict[str, Any]) -> str | None:
    """The event with the extracted values marked; other values of persons and networks in it are EITHER."""
    values: dict[str, str] = {}
    for owner, field, value in _extracted(event, ""):
        kind = _kind_of(owner, field, value)
        if kind and owner in _OWNERS and len(value) > 2:
            values.setdefault(value, EITHER if _is_shared(value, kind) else kind)
            if kind == "NAME":
                for word in value.split():
                    values.setdefault(word, EITHER)
    spans: list[tuple[int, int, str]] = []
    for value, kind in sorted(values.items(), key=lambda one: -len(one[0])):
        for match in re.finditer(rf"(?<![\w.@-]){re.escape(value)}(?![\w@-]|\.\w)", text):
            if all(match.end() <= start or match.start() >= end for start, end, _ in spans):
                spans.append((match.start(), match.end(), kind))
    if not any(kind != EITHER for _, _, kind in spans):
        return None
    for start, end in [
        *(match.span() for match in _FORMS.finditer(text)),
        *(match.span(1) for match in _KEYED.finditer(text)),
    ]:
        if all(end <= first or start >= last for first, last, _ in spans):
            spans.append((start, end, EITHER))
    return _marked_spans(text, spans)


def _kind_of(owner: str, field: str, value: str) -> str | None:
    """The kind of an extracted field; what is only listed as related is EITHER unless it is an address."""
    if "@" in value and field in ("name", "email", "user", "id"):
        return "EMAIL" if re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", value) else EITHER
    if owner == "related":
        return {"ip": "IP", "user": EITHER}.get(field)
    if field == "address":
        return "IP" if re.fullmatch(r"[\d.]{7,15}|[0-9a-fA-F:]*:[0-9a-fA-F:]+", value) else None
    if field == "name":
        if owner not in ("user", "target", "effective", "changes"):
            return None
        return "USERNAME" if re.fullmatch(r"[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)?", value) else EITHER
    return {"ip": "IP", "mac": "MAC", "email": "EMAIL", "full_name": "NAME"}.get(field)


def _is_shared(value: str, kind: str) -> bool:
    """Whether the value belongs to every machine, or is only an identifier or a word."""
    if kind == "IP":
        return value.startswith(("127.", "0.", "255.", "169.254.", "224.", "fe80:", "ff0")) or value in ("::1", "::")
    if kind == "USERNAME":
        return value.lower() in _SHARED_USERS or len(re.sub("[^0-9]", "", value)) > 6
    if kind == "MAC":
        return not re.search("[1-9a-fA-F]", value)
    return kind == "NAME" and not re.search(r"\w \w", value)


def _extracted(node: Any, owner: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, dict):
        for key, child in node.items():
            for value in child if isinstance(child, list) else [child]:
                if isinstance(value, str):
                    yield owner, key, value
                elif isinstance(value, dict):
                    yield from _extracted(value, key)


_SSH_USER = re.compile(r"(?:invalid user|Invalid user|password for|user[ =])\s*([\w.-]{3,})(?= from|\s|$)")
_NO_USERS = ("unknown", "from", "user", "for", "invalid", "uid", "authentication")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")


def loghub_logins(files: Files, seed: int) -> Made:
    """Lines of sshd logs of Loghub: network addresses, and user names that are tried."""
    rng = random.Random(seed)
    for path, data in files(r"(OpenSSH/OpenSSH|Linux/Linux)_2k\.log"):
        lines = data.decode("utf-8", "replace").splitlines()
        for at in rng.sample(range(0, len(lines) - 10, 10), 60):
            yield "sshd lines", path, "\n".join(_login(line) for line in lines[at : at + 10])


def _login(line: str) -> str:
    spans = [(match.start(), match.end(), "IP") for match in _IPV4.finditer(line)]
    for match in _SSH_USER.finditer(line):
        shared = match[1].lower() in _SHARED_USERS or match[1] in _NO_USERS or match[1].isdigit()
        spans.append((match.start(1), match.end(1), EITHER if shared else "USERNAME"))
    parts, at = [], 0
    for start, end, kind in sorted(set(spans)):
        if start >= at:
            parts += [line[at:start], mark(kind, line[start:end])]
            at = end
    return "".join([*parts, line[at:]])


# Tables of sample databases: column → kind; others are innocent, except towns and the like.
_COLUMNS = {
    "firstname": "NAME", "lastname": "NAME", "contactname": "NAME", "first_name": "NAME", "last_name": "NAME",
    "full_name": "NAME", "name": "NAME", "maidenname": "NAME", "lead_name": "NAME", "birthdate": "DOB",
    "birth_date": "DOB", "address": "ADDRESS", "address1": "ADDRESS", "street": "ADDRESS", "suite": EITHER,
    "address_line1": "ADDRESS", "postalcode": "POSTCODE", "postal_code": "POSTCODE", "zip": "POSTCODE",
    "zipcode": "POSTCODE", "phone": "PHONE", "fax": "PHONE", "homephone": "PHONE", "mobilephone": "PHONE",
    "phone__c": "PHONE", "mobile_phone__c": "PHONE", "email": "EMAIL", "email__c": "EMAIL", "email_id": "EMAIL",
    "email_address": "EMAIL", "username": "USERNAME", "password": "SECRET", "ip": "IP", "macaddress": "MAC",
    "cardnumber": "CARD", "iban": "IBAN", "ssn": "SSN",
}  # fmt: skip
_EITHER_COLUMNS = {
    "city", "state", "country", "region", "companyname", "company", "title", "contacttitle", "titleofcourtesy", "notes",
    "photo", "photopath", "extension", "customerid", "hiredate", "ein", "wallet", "useragent", "university", "address2",
    "district", "coordinates", "geo", "website", "lat", "lng", "statecode", "cardexpire", "age", "image",
    "province_code",
    "country_code", "picture__c", "catchphrase", "bs", "company_name", "territory",
}  # fmt: skip


def _records(part: str, rows: Sequence[dict[str, Any]], size: int = 6) -> Made:
    for at in range(0, len(rows), size):
        yield part, "json", [_record(row) for row in rows[at : at + size]]


def _record(row: dict[str, Any], above: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in row.items():
        kind = EITHER if key.lower() in _EITHER_COLUMNS or above in _EITHER_COLUMNS else _COLUMNS.get(key.lower())
        if isinstance(value, dict):
            found[key] = _record(value, key.lower())
        elif isinstance(value, str) and kind and value.strip():
            found[key] = mark(kind, value)
        elif not isinstance(value, bytes):
            found[key] = value
    return found


def chinook(data: bytes) -> Made:
    base = json.loads(data)
    yield from _records("Chinook", [*base["Customer"], *base["Employee"]])


def northwind(data: bytes) -> Made:
    """Northwind as JSON rows and as the INSERT statements of its file."""
    text = data.decode("utf-8", "replace")
    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    statements = re.findall(r"(?s)CREATE TABLE \[(?:Customers|Employees)\].*?\);", text)
    inserts = re.findall(r"(?m)^INSERT INTO (?:Customers) .*\n?VALUES.*;\s*$", text)
    for one in [*statements, *inserts]:
        base.execute(one)
    rows = [dict(row) for row in base.execute("SELECT * FROM Customers WHERE CustomerID NOT LIKE 'Val%'")]
    yield from _records("Northwind", rows)
    by_id = {row["CustomerID"]: row for row in rows}
    marked = []
    for one in inserts:
        row = by_id.get(re.search(r"VALUES\s*\('([^']*)'", one)[1])  # type: ignore[index]
        wanted = (
            [(str(row[key]).replace("'", "''"), _COLUMNS.get(key.lower(), EITHER)) for key in row if row[key]]
            if row
            else []
        )
        text_marked = marked_words(one.strip(), wanted) if row else None
        if text_marked is not None:
            marked.append(text_marked)
    for at in range(0, len(marked), 6):
        yield "Northwind SQL", "sql", "\n".join(marked[at : at + 6])


def oracle(files: Files) -> Made:
    """Oracle's sample schemas: customers as INSERT statements with columns, and as rows."""
    rows = []
    statements = []
    for _, data in files(r"customer_orders/co_populate\.sql"):
        for line in data.decode().splitlines():
            match = re.search(
                r"INTO customers \(customer_id,email_address,full_name\) VALUES \((\d+),'([^']+)','([^']+)'\)", line
            )
            if match:
                rows.append({"customer_id": int(match[1]), "email_address": match[2], "full_name": match[3]})
                statements.append(
                    line.replace(match[2], mark("EMAIL", match[2])).replace(
                        f"'{match[3]}'", f"'{mark('NAME', match[3])}'"
                    )
                )
    yield from _records("Oracle CO", rows)
    for at in range(0, len(statements), 8):
        yield "Oracle CO SQL", "sql", "\n".join(statements[at : at + 8])


def sakila(data: bytes) -> Made:
    """Customers, staff and addresses of sakila as PostgreSQL writes them with COPY: tab-separated below the columns."""
    text = data.decode()
    for table in ("customer", "staff", "address"):
        match = re.search(rf"(?ms)^COPY public\.{table} \(([^)]*)\) FROM stdin;\n(.*?)^\\\.", text)
        assert match is not None
        names = match[1].split(", ")
        lines = match[2].splitlines()[:240]
        for at in range(0, len(lines), 8):
            rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines[at : at + 8]]
            copied = [
                "\t".join(
                    mark(kind, value) if (kind := _sakila_kind(name)) and value.strip() and value != "\\N" else value
                    for name, value in row.items()
                )
                for row in rows
            ]
            yield "sakila COPY", table, f"COPY public.{table} ({match[1]}) FROM stdin;\n" + "\n".join(copied) + "\n\\."
            yield "sakila TSV", table, "\t".join(names) + "\n" + "\n".join(copied) + "\n"


def _sakila_kind(name: str) -> str | None:
    return EITHER if name in _EITHER_COLUMNS or name in ("picture", "password") else _COLUMNS.get(name)


def dummyjson(data: bytes) -> Made:
    yield from _records("DummyJSON", json.loads(data), 2)


def jsonplaceholder(data: bytes) -> Made:
    yield from _records("JSONPlaceholder", json.loads(data)["users"], 2)


def salesforce(files: Files) -> Made:
    for _path, data in files(r"data/(brokers|contacts)-data\.json"):
        rows = json.loads(data)["records"]
        yield from _records(
            "Salesforce dreamhouse", [{key: value for key, value in row.items() if key != "attributes"} for row in rows]
        )


def spree(data: bytes) -> Made:
    import csv

    rows = list(csv.DictReader(io.StringIO(data.decode())))
    for at in range(0, len(rows), 6):
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(_record(row) for row in rows[at : at + 6])
        yield "Spree CSV", "csv", text.getvalue()
