"""Writes records of persons in the columns of real software for `privacy_others_fetch.py`.

The persons come from mimesis and @faker-js/faker (never from the package Faker, whose names the model was trained on);
the columns are those of the software's export or API. Titles, towns, countries and companies are EITHER.
"""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from privacy_marked import mark
from privacy_others_prose import EITHER

ROWS = 6
_KINDS = {
    "first": "NAME", "last": "NAME", "full": "NAME", "mother": "NAME", "email": "EMAIL", "phone": "PHONE",
    "mobile": "PHONE", "street": "ADDRESS", "zip": "POSTCODE", "birth": "DOB", "iban": "IBAN", "card": "CARD",
    "user": "USERNAME", "ip": "IP", "mac": "MAC", "password": "SECRET", "city": EITHER, "country": EITHER,
    "company": EITHER, "title": EITHER, "sex": EITHER,
}  # fmt: skip
# software → column → field of the person, or one of the innocent fields id, uuid, date, amount, status, product, count
SCHEMAS: dict[str, str] = {
    "Salesforce": "Id:id FirstName:first LastName:last Email:email Phone:phone MobilePhone:mobile MailingStreet:street "
    "MailingCity:city MailingPostalCode:zip MailingCountry:country Birthdate:birth LeadSource:status CreatedDate:date",
    "HubSpot": "hs_object_id:id firstname:first lastname:last email:email phone:phone mobilephone:mobile "
    "address:street "
    "city:city zip:zip lifecyclestage:status createdate:date hs_lead_status:status num_notes:count",
    "Odoo": "id:id display_name:full email:email phone:phone mobile:mobile street:street zip:zip city:city "
    "create_date:date credit_limit:amount lang:status",
    "ERPNext": "name:id first_name:first last_name:last email_id:email mobile_no:mobile phone:phone "
    "address_line1:street city:city pincode:zip gender:sex status:status modified:date",
    "Dynamics": "contactid:uuid fullname:full emailaddress1:email telephone1:phone mobilephone:mobile "
    "address1_line1:street address1_city:city address1_postalcode:zip birthdate:birth createdon:date",
    "Shopify": "Customer ID:id|First Name:first|Last Name:last|Email:email|Default Address Address1:street|"
    "Default Address City:city|Default Address Zip:zip|Default Address Phone:phone|Total Spent:amount|"
    "Total Orders:count",
    "WooCommerce": "order_id:id billing_first_name:first billing_last_name:last billing_address_1:street "
    "billing_city:city billing_postcode:zip billing_email:email billing_phone:phone customer_ip_address:ip "
    "order_total:amount status:status line_item_name:product",
    "Django": "id:id username:user first_name:first last_name:last email:email last_login:date date_joined:date "
    "is_staff:count",
    "Stripe": "id:id object:status name:full email:email phone:phone line1:street postal_code:zip city:city "
    "balance:amount created:date invoice_prefix:uuid",
    "Zendesk": "id:id name:full email:email phone:phone role:status created_at:date ticket_count:count",
    "SAP": "KUNNR:id NAME1:full STRAS:street PSTLZ:zip ORT01:city TELF1:phone SMTP_ADDR:email ERDAT:date KLIMK:amount",
    "Google Contacts": "Given Name:first|Family Name:last|Birthday:birth|E-mail 1 - Value:email|Phone 1 - Value:phone|"
    "Address 1 - Street:street|Address 1 - City:city|Address 1 - Postal Code:zip|Labels:status",
    "Outlook": "First Name:first|Last Name:last|E-mail Address:email|Home Phone:phone|Mobile Phone:mobile|"
    "Home Street:street|Home City:city|Home Postal Code:zip|Birthday:birth|Priority:status",
    "Mailchimp": "Email Address:email|First Name:first|Last Name:last|Phone Number:phone|Address:street|"
    "OPTIN_TIME:date|OPTIN_IP:ip|MEMBER_RATING:count|LEID:id",
    "WordPress": "ID:id user_login:user user_email:email display_name:full user_registered:date user_status:count",
    "Jira": "accountId:uuid displayName:full emailAddress:email active:status timeZone:status",
    "ServiceNow": "number:id caller_name:full caller_email:email callback_number:phone opened_at:date priority:count "
    "short_description:product state:status",
    "bank core": "CustomerNo:id CustName:full MothersMaiden:mother DateOfBirth:birth Iban:iban CardNumber:card "
    "OpenedOn:date Balance:amount ProductName:product",
    "LDAP": "uid:user cn:full sn:last givenName:first mail:email telephoneNumber:phone homePhone:mobile street:street "
    "postalCode:zip l:city employeeNumber:id",
    "DHCP": "hostname:id ipAddress:ip macAddress:mac owner:full leaseEnd:date",
}
_LOCAL = {
    "de": "Kundennummer:id Vorname:first Nachname:last Straße:street PLZ:zip Ort:city Telefon:phone Handy:mobile "
    "E-Mail:email Geburtsdatum:birth IBAN:iban Umsatz:amount Artikel:product|Ansprechpartner:full Rufnummer:phone "
    "Anschrift:street Postleitzahl:zip Firma:company Auftragsnummer:id Betrag:amount Status:status",
    "fr": "code_client:id nom:last prénom:first adresse:street code_postal:zip ville:city téléphone:phone "
    "portable:mobile courriel:email date_naissance:birth montant:amount produit:product|Interlocuteur:full "
    "N° de téléphone:phone Rue:street CP:zip Commande:id",
    "es": "id_cliente:id nombre:first apellidos:last dirección:street código_postal:zip ciudad:city teléfono:phone "
    "móvil:mobile correo:email fecha_nacimiento:birth importe:amount producto:product|Contacto:full Teléfono:phone "
    "Domicilio:street Pedido:id Estado:status",
    "it": "codice_cliente:id nome:first cognome:last indirizzo:street cap:zip città:city telefono:phone "
    "cellulare:mobile email:email data_nascita:birth importo:amount prodotto:product|Referente:full Recapito:phone "
    "Via:street Ordine:id",
    "pt-br": "codigo:id nome_completo:full endereco:street cep:zip cidade:city telefone:phone celular:mobile "
    "email:email data_nascimento:birth valor:amount produto:product|Nome do cliente:full Fone:phone Logradouro:street",
    "nl": "klantnummer:id voornaam:first achternaam:last straat:street postcode:zip plaats:city telefoon:phone "
    "mobiel:mobile e-mailadres:email geboortedatum:birth bedrag:amount",
    "pl": "numer_klienta:id imię:first nazwisko:last ulica:street kod_pocztowy:zip miasto:city telefon:phone "
    "komórka:mobile email:email data_urodzenia:birth kwota:amount",
    "ru": "Номер:id Фамилия:last Имя:first Адрес:street Индекс:zip Город:city Телефон:phone Почта:email "
    "Дата рождения:birth Сумма:amount|ФИО:full Мобильный:mobile Заказ:id",
    "ja": "顧客番号:id 氏名:full 住所:street 郵便番号:zip 電話番号:phone 携帯電話:mobile メールアドレス:email "
    "生年月日:birth 金額:amount|お名前:full 電話:phone 注文番号:id",
    "zh": "编号:id 姓名:full 手机号:mobile 电话:phone 地址:street 邮编:zip 邮箱:email 出生日期:birth 金额:amount",
    "ko": "번호:id 이름:full 전화번호:phone 휴대폰:mobile 주소:street 우편번호:zip "
    "이메일:email 생년월일:birth 금액:amount",
    "en": "account_no:id holder_name:full dob:birth contact_number:phone home_address:street zip_code:zip "
    "login:user password:password last_login_ip:ip amount:amount",
}  # fmt: skip
_SCRIPT = """
const { allFakers } = await import('@faker-js/faker');
const out = {};
for (const [locale, key] of Object.entries(JSON.parse(process.argv[1]))) {
  const f = allFakers[key]; f.seed(20260101); f.setDefaultRefDate('2026-01-01T00:00:00Z');
  out[locale] = Array.from({length: 240}, () => {
    const first = f.person.firstName(), last = f.person.lastName();
    return {first, last, full: f.person.fullName({firstName: first, lastName: last}), mother: f.person.lastName(),
      email: f.internet.email(),
      phone: f.phone.number(), mobile: f.phone.number({style: 'national'}), street: f.location.streetAddress(),
      zip: f.location.zipCode(), city: f.location.city(), country: f.location.country(), company: f.company.name(),
      birth: f.date.birthdate().toISOString().slice(0, 10), iban: f.finance.iban(),
      card: f.finance.creditCardNumber({issuer: f.helpers.arrayElement(['visa', 'mastercard', 'amex', 'jcb'])}),
      user: f.internet.username(), ip: f.internet.ipv4(), mac: f.internet.mac(), password: f.internet.password(),
      title: f.person.jobTitle(), sex: f.person.sex(), product: f.commerce.productName()};
  });
}
console.log(JSON.stringify(out));
"""
LOCALES = {
    "en": "en", "de": "de", "fr": "fr", "es": "es", "it": "it", "pt-br": "pt_BR", "nl": "nl", "pl": "pl", "ru": "ru",
    "ja": "ja", "zh": "zh_CN", "ko": "ko",
}  # fmt: skip
Person = Mapping[str, str]


def persons_of_faker_js(folder: Path) -> dict[str, list[Person]]:
    """Persons by locale; `folder` contains `node_modules` with @faker-js/faker."""
    node = shutil.which("node")
    assert node is not None, "node is not installed"
    made = subprocess.run(
        [node, "--input-type=module", "-e", _SCRIPT, json.dumps(LOCALES)],
        cwd=folder, capture_output=True, check=True,
    )  # fmt: skip
    found: dict[str, list[Person]] = json.loads(made.stdout)
    return found


def persons_of_mimesis() -> dict[str, list[Person]]:
    from mimesis import Generic
    from mimesis.locales import Locale

    def person(g: Any) -> Person:
        first, last = g.person.first_name(), g.person.last_name()
        return {
            "first": first, "last": last, "full": g.person.full_name(), "mother": g.person.last_name(),
            "email": g.person.email(), "phone": g.person.phone_number(), "mobile": g.person.phone_number(),
            "street": g.address.address(), "zip": g.address.zip_code(), "city": g.address.city(),
            "country": g.address.country(), "company": g.finance.company(),
            "birth": g.person.birthdate(1945, 2005).isoformat(), "iban": "", "card": g.payment.credit_card_number(),
            "user": g.person.username(), "ip": g.internet.ip_v4(), "mac": g.internet.mac_address(),
            "password": g.person.password(12), "title": g.person.occupation(), "sex": g.person.gender(),
            "product": g.food.dish(),
        }  # fmt: skip

    found: dict[str, list[Person]] = {}
    for code in LOCALES:
        generic = Generic(Locale(code), seed=20260101)
        found[code] = [person(generic) for _ in range(240)]
    return found


def tables(persons: Mapping[str, list[Person]], seed: int) -> Iterator[tuple[str, str, Any]]:
    """Locale, schema and marked value: tables as JSON and as CSV."""
    for locale, people in persons.items():
        rng = random.Random(f"{seed} {locale}")
        schemas = {name: _columns(text.replace("|", " ")) for name, text in SCHEMAS.items()}
        local = _LOCAL.get(locale, "").split("|")
        schemas |= {f"local {at}": _columns(text) for at, text in enumerate(local) if text}
        for name, columns in schemas.items():
            for form in ("json", "csv"):
                rows = [_row(columns, people[rng.randrange(len(people))], rng) for _ in range(ROWS)]
                rows = [row for row in rows if row]
                yield locale, f"{name} {form}", rows if form == "json" else _csv(rows)


_LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt-br": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "ru": "Russian", "ja": "Japanese", "zh": "Chinese", "ko": "Korean",
}  # fmt: skip


def addresses(
    persons: Mapping[str, list[Person]], frames: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    """Twenty addresses of each locale in a sentence, in the order of their country."""
    for locale, people in persons.items():
        language = _LANGUAGES[locale]
        for person in people[:20]:
            street, code = mark("ADDRESS", person["street"]), mark("POSTCODE", person["zip"])
            city = mark(EITHER, person["city"])
            comma = mark(EITHER, ", ")
            order = f"{street}{comma}{code}{mark(EITHER, ' ')}{city}"
            if locale == "en":
                order = f"{street}{comma}{city}{comma}{code}"
            elif locale in ("ja", "zh", "ko"):
                order = f"{city}{mark(EITHER, ' ') if locale == 'ko' else ''}{street}"
            yield f"{language} sentence", "generated", frames[language][0].replace("{}", order)


def _columns(text: str) -> list[str]:
    """`N° de téléphone:phone Rue:street` → its columns: a column ends with a known field."""
    found, words = [], list[str]()
    for word in text.split(" "):
        words.append(word)
        if ":" in word:
            found.append(" ".join(words))
            words = []
    return found


def _row(columns: list[str], person: Person, rng: random.Random) -> dict[str, str]:
    row = {}
    for column in columns:
        key, _, field = column.rpartition(":")
        if field in _KINDS:
            value = person[field]
            kind = EITHER if field == "ip" and not 10 < int(value.split(".")[0]) < 224 else _KINDS[field]
            row[key] = mark(kind, value) if value else ""
        else:
            row[key] = person["product"] if field == "product" else _innocent(field, rng)
    return row


def _innocent(field: str, rng: random.Random) -> str:
    match field:
        case "id":
            return str(rng.randrange(1000, 10**6))
        case "uuid":
            return str(uuid.UUID(int=rng.getrandbits(128), version=4))
        case "date":
            day, clock = f"2025-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}", rng.randrange(1440)
            return f"{day}T{clock // 60:02}:{clock % 60:02}:00Z"
        case "amount":
            return f"{rng.randrange(10**6) / 100:.2f}"
        case "count":
            return str(rng.randrange(9))
        case _:
            return rng.choice(["new", "open", "active", "closed", "pending", "web", "customer", "lead"])


def _csv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
