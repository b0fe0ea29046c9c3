"""Detects national identity, tax and health numbers by a word before them together with form and check digits.

A word such as "SIN" or "PAN" is too short to be evidence alone, and random digits pass one checksum in ten or
eleven. Both together are enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct

from workbench.privacy.detectors import id_checksums as ids
from workbench.privacy.detectors.text_search import find_words
from workbench.privacy.value_index import fold

NEAR = 28  # characters between a word and its number
_LONGEST = 30  # characters of a number with its separators
_SURE = 6  # letters; a longer word may have an ending
_SEPARATORS = re.compile(r"[ \u00a0./()+\-]")


class CountryId(Struct, frozen=True):
    """A number of a country: the folded words that announce it, its form, and the check of its bare characters."""

    words: str  # separated by "|"
    form: str
    check: Callable[[str], bool]
    rare: bool = False  # whether the form alone is evidence near the word, without check digits


_S = r"[ \u00a0.-]?"
_THREES = rf"\d{{3}}{_S}\d{{3}}{_S}\d{{3}}"
_FOURS = rf"\d{{4}}{_S}\d{{4}}{_S}\d{{4}}"
_CODICE = r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]"
_EU_VAT = (
    r"(?-i:AT ?U|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI|GB)"
    r" ?(?=(?:\w ?){7,13}(?!\w))[A-Z0-9]{0,2} ?\d[\d ]{5,11}[A-Z]{0,2}\d{0,2}"
)
_DOCUMENT = r"(?=(?:[^\d]{0,4}\d){4})[A-Z]{0,3}[ -]?\d[\dA-Z]{4,10}"

COUNTRY_IDS = (
    CountryId("german tax id|steuer-id|steuerid|personal tax number|identifikationsnummer (germany)"
              "|steuer-identifikationsnummer|steueridentifikationsnummer|idnr|identifikationsnummer",
              r"\d\d ?\d{3} ?\d{3} ?\d{3}", ids.is_german_tax_id),
    CountryId("nir|french personal identification|insee|securite sociale|sécurité sociale|numéro de sécu"
              "|numero de secu|sécu|n° ss",
              r"[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", ids.is_french_nir),
    CountryId("dni|nie|nif|d.n.i|n.i.f|n.i.e|documento nacional|número de identificación fiscal"
              "|numero de identificacion fiscal"
              "|identificación de extranjero|spanish personal identity|foreigner number",
              r"(?:\d{8}|\d\d\.\d{3}\.\d{3})[ -]?[A-Z]|[XYZ][ -]?\d{7}[ -]?[A-Z]",
              ids.is_spanish_dni),
    CountryId("codicefiscale|codice fiscale|italian tax code|cod. fisc|cod.fisc|c.f.",
              _CODICE, ids.is_anything, rare=True),
    CountryId("nif|n.i.f|contribuinte|nipc|número de identificação fiscal|numero de identificacao fiscal|portuguese vat"
              "|número fiscal|numero fiscal",
              _THREES, ids.is_portuguese_nif),
    CountryId("bsn|dutch citizen|burgerservicenummer|sofinummer",
              rf"{_THREES}|\d{{4}}\.?\d{{2}}\.?\d{{3}}", ids.is_dutch_bsn),
    CountryId("pesel|polish national id", r"\d{11}", ids.is_polish_pesel),
    CountryId("dowodu osobistego|dowód osobisty|nr dowodu|numer dowodu",
              r"[A-Z]{3} ?\d{6}", ids.is_anything, rare=True),
    CountryId("personnummer|personnr|swedish personal identity|swedish identity|samordningsnummer",
              r"(?:19|20)?\d{6}[ +-]?\d{4}", ids.is_swedish_number),
    CountryId("nhs|national health service", rf"\d{{3}}{_S}\d{{3}}{_S}\d{{4}}", ids.is_nhs_number),
    CountryId("ni number|ni no|nino|national insurance",
              r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]", ids.is_anything, rare=True),
    CountryId("cpf|cadastro de pessoas físicas|cadastro de pessoas fisicas|cadastro de pessoa física",
              r"\d{3}\.?\d{3}\.?\d{3}[ -]?\d\d", ids.is_brazilian_cpf),
    CountryId("cnpj|cadastro nacional da pessoa jurídica|cadastro nacional da pessoa juridica",
              r"\d\d\.?\d{3}\.?\d{3}/?\d{4}-?\d\d", ids.is_brazilian_cnpj),
    CountryId("aadhaar|aadhar|uidai|आधार", rf"[2-9]\d{{3}}{_S}\d{{4}}{_S}\d{{4}}", ids.has_verhoeff_digit),
    CountryId("pan|permanent account number", r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", ids.is_anything, rare=True),
    CountryId("身份证|身份證|公民身份号码|居民证|resident identity card|chinese id|chinese resident|resident identity",
              r"[1-9]\d{16}[\dX]", ids.is_chinese_id),
    CountryId("주민등록번호|주민번호|외국인등록번호|resident registration|rrn|korean resident",
              r"\d{6} ?-? ?[1-8]\d{6}", ids.is_korean_number),
    CountryId("マイナンバー|個人番号|my number|individual number", _FOURS, ids.is_japanese_number),
    CountryId("sa id|south african id|rsa id|id number|identity number|south african identity",
              r"\d{6} ?\d{4} ?\d{3}", ids.is_south_african_id),
    CountryId("kimlik|tckn|tc no|turkish identification|turkish personal", r"[1-9]\d{10}", ids.is_turkish_id),
    CountryId("снилс|snils", rf"{_THREES}[ -]?\d\d", ids.is_russian_snils),
    CountryId("инн|inn|идентификационный номер налогоплательщика", r"\d{10}(?:\d\d)?", ids.is_russian_inn),
    CountryId("паспорт|загранпаспорт", r"\d\d ?\d\d ?(?:№ ?)?\d{6}|\d\d ?(?:№ ?)?\d{7}", ids.is_anything, rare=True),
    CountryId("tfn|tax file number|australian tax", rf"{_THREES}", ids.is_australian_tfn),
    CountryId("medicare", rf"[2-6]\d{{3}}{_S}\d{{5}}{_S}\d(?:[ /-]?\d)?", ids.is_medicare_number),
    CountryId("sin|canadian social|social insurance|assurance sociale|nas", _THREES, ids.has_luhn_digit),
    CountryId("curp|clave única de registro", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d", ids.is_anything, rare=True),
    CountryId("rfc|registro federal de contribuyentes", r"[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}", ids.is_anything, rare=True),
    CountryId("บัตรประชาชน|ประจำตัวประชาชน|thai id|thai national id|thai personal",
              r"[1-8]-?\d{4}-?\d{5}-?\d\d-?\d", ids.is_thai_id),
    CountryId('תעודת זהות|ת"ז|ת.ז|teudat zehut|mispar zehut|israeli id|israeli identity',
              r"\d{8}-?\d", ids.has_luhn_digit),
    CountryId("егн|egn|единен граждански номер|bulgarian personal", r"\d{10}", ids.is_bulgarian_egn),
    CountryId("рнокпп|rnokpp|іпн|ідентифікаційний номер", r"\d{10}", ids.is_ukrainian_number),
    CountryId("αφμ|α.φ.μ|afm|greek vat|αριθμός φορολογικού μητρώου", r"\d{9}", ids.is_greek_afm),
    CountryId("αμκα|α.μ.κ.α|amka|greek social security", r"\d{11}", ids.is_greek_amka),
    CountryId("rijksregister|belgian national number|registre national|numéro national|numero national|nrn|insz|niss",
              r"\d\d\.?\d\d\.?\d\d[ .-]?\d{3}[ .-]?\d\d", ids.is_belgian_number),
    CountryId("fødselsnummer|norwegian birth number|fødselsnummer (norwegian|fodselsnummer|fødselsnr|personnummer",
              r"\d{6} ?\d{5}", ids.is_norwegian_number),
    CountryId("cpr|personnummer|det centrale personregister|danish citizen",
              r"[0-3]\d[01]\d{3}[ -]?\d{4}", ids.begins_with_day),
    CountryId("hetu|finnish personal identity|henkilötunnus|henkilotunnus",
              r"[0-3]\d[01]\d{3}[-+A]\d{3}[\dA-Y]", ids.is_finnish_hetu),
    CountryId("rodné číslo|rodné čislo|birth number|rc (rodne|rodne cislo|rodného čísla|rodným číslem",
              r"\d{6} ?/? ?\d{3,4}", ids.is_czech_number),
    CountryId("sozialversicherungsnummer|versicherungsnummer|austrian social security|vnr|svnr|sv-nummer",
              r"[1-9]\d{3} ?\d{6}", ids.is_austrian_number),
    CountryId("ahv|avs|swiss social security|sozialversicherungsnummer|avs-nummer",
              r"756\.?\d{4}\.?\d{4}\.?\d\d", ids.is_swiss_ahv),
    CountryId("pps|ppsn|personal public service|irish personal", r"\d{7}[A-W][A-IW]?", ids.is_irish_pps),
    CountryId("cuit|cuil|código único de identificación tributaria|codigo unico de identificacion",
              r"(?:20|2[347]|30|3[34])[ -]?\d{8}[ -]?\d", ids.is_argentine_cuit),
    CountryId("rut|run|rol único tributario|rol unico tributario|rol único nacional",
              r"\d{1,2}\.?\d{3}\.?\d{3}-[\dK]", ids.is_chilean_rut),
    CountryId("nric|fin number|singapore identity|singapore national", r"[STFGM]\d{7}[A-Z]", ids.is_singaporean_nric),
    CountryId("ust-id|ust.-id|ustid|umsatzsteuer-id|umsatzsteuer-identifikationsnummer|german vat",
              r"(?:DE ?)?\d{9}", ids.has_mod_11_10_digit),
    CountryId("steuernummer|stnr|st.-nr|german tax number",
              r"\d{2,3} ?/ ?\d{3,4} ?/ ?\d{4,5}", ids.has_different_digits, rare=True),
    CountryId("sozialversicherungsnummer|rentenversicherung|rvnr|sv-nummer|sv-nr|versicherungsnummer",
              r"\d\d ?\d{6} ?[A-Z] ?\d{3}", ids.has_different_digits, rare=True),
    CountryId("krankenversichertennummer|versichertennummer|kvnr|vers.-nr|krankenversicherungsnummer",
              r"[A-Z]\d{9}", ids.is_anything, rare=True),
    CountryId("siren|système d'identification du répertoire", _THREES, ids.has_luhn_digit),
    CountryId("siret", rf"{_THREES}{_S}\d{{5}}", ids.has_luhn_digit),
    CountryId("cif|c.i.f|código de identificación fiscal|spanish company",
              r"[A-HJNPQRSUVW][ -]?\d{7}[ -]?[\dA-J]", ids.is_spanish_cif),
    CountryId("partita iva|p.iva|p. iva|partitaiva|italian vat", r"(?:IT ?)?\d{11}", ids.has_luhn_digit),
    CountryId("cartão de cidadão|cartao de cidadao|citizen card|número de documento de identificação civil",
              r"\d{8}[ -]?\d[ -]?[A-Z\d]{2}\d", ids.has_different_digits, rare=True),
    CountryId("btw|btw-nummer|btw-identificatienummer|dutch vat",
              r"(?:NL ?)?\d{9} ?B ?\d\d", ids.is_anything, rare=True),
    CountryId("ondernemingsnummer|numéro d'entreprise|belgian vat|belgian enterprise",
              r"(?:BE ?)?[01]?\d{3}[. ]?\d{3}[. ]?\d{3}", ids.is_belgian_firm),
    CountryId("nip|numer identyfikacji podatkowej|polish vat|polish tax",
              r"\d{3}-?\d{3}-?\d\d-?\d\d|\d{3}-\d\d-\d\d-\d{3}", ids.is_polish_nip),
    CountryId("regon|rejestr gospodarki narodowej", r"\d{9}(?:\d{5})?", ids.is_polish_regon),
    CountryId("ičo|ico|dič|dic|czech vat", r"(?:CZ ?)?\d{8}", ids.is_czech_firm),
    CountryId("atu|umsatzsteuer-identifikationsnummer|austrian vat|uid-nummer|uid",
              r"ATU ?\d{8}", ids.is_anything, rare=True),
    CountryId("unternehmens-identifikationsnummer|swiss business|swiss vat|mwst|uid",
              r"CHE[- ]?\d{3}\.?\d{3}\.?\d{3}", ids.is_swiss_uid),
    CountryId("utr|unique taxpayer reference", r"\d{5} ?\d{5}", ids.has_different_digits),
    CountryId("vat|vat number|vat registration|value added tax|united kingdom vat|uk vat",
              r"(?:GB ?)?\d{3} ?\d{4} ?\d\d", ids.is_british_vat),
    CountryId("vat|vat number|vat no|vat id|vat registration|tva|iva|mwst|moms|áfa|btw|αφμ|pvm|käibemaksukohustuslase",
              _EU_VAT, ids.is_anything, rare=True),
    CountryId("cvr|momsregistreringsnummer|danish vat|danish company",
              r"(?:DK ?)?\d\d ?\d\d ?\d\d ?\d\d", ids.is_danish_firm),
    CountryId("organisationsnummer|orgnr|org.nr|swedish company", r"\d{6}-?\d{4}", ids.has_luhn_digit),
    CountryId("organisasjonsnummer|orgnr|org.nr|mva|norwegian organisation|norwegian vat",
              _THREES, ids.is_norwegian_firm),
    CountryId("y-tunnus|ytunnus|alv nro|arvonlisäveronumero|finnish business|finnish vat",
              r"\d{7}-?\d", ids.is_finnish_firm),
    CountryId("kennitala|icelandic identity", r"[0-7]\d[01]\d{3}[ -]?\d{4}", ids.is_icelandic_number),
    CountryId("isikukood|estonian personal|asmens kodas|lithuanian personal", r"[1-6]\d{10}", ids.is_baltic_number),
    CountryId("personas kods|latvian personal", r"\d{6}-?\d{5}", ids.is_latvian_number),
    CountryId("cnp|cod numeric personal|romanian numeric", r"[1-9]\d{12}", ids.is_romanian_cnp),
    CountryId("jmbg|јмбг|emšo|emso|enotna matična številka|jedinstveni matični broj|unique master citizen"
              "|матичен број",
              r"\d{13}", ids.is_yugoslav_number),
    CountryId("davčna številka|ddv|slovenian vat", r"(?:SI ?)?\d{8}", ids.is_slovenian_tax_number),
    CountryId("oib|osobni identifikacijski broj|croatian identification", r"(?:HR ?)?\d{11}", ids.has_mod_11_10_digit),
    CountryId("pib|пиб|poreski identifikacioni broj|serbian tax", r"\d{9}", ids.has_mod_11_10_digit),
    CountryId("taj|taj-szám|taj szám", _THREES, ids.is_hungarian_taj),
    CountryId("adószám|anum|közösségi adószám|hungarian vat",
              r"(?:HU ?)?\d{8}(?:-?\d-?\d\d)?", ids.is_hungarian_tax_number),
    CountryId("személyi szám|személyi igazolvány|personal identification (hungary",
              r"[1-8][- ]?\d{6}[- ]?\d{4}|\d{6}[A-Z]{2}", ids.has_different_digits, rare=True),
    CountryId("nipt|nuis|albanian vat", r"[A-M]\d{8}[A-Z]", ids.is_anything, rare=True),
    CountryId("єдрпоу|edrpou", r"\d{8}", ids.has_different_digits),
    CountryId("огрн|огрнип|ogrn", r"\d{13}(?:\d\d)?", ids.is_russian_ogrn),
    CountryId("унп|unp|учетный номер плательщика", r"\d{9}", ids.is_belarusian_unp),
    CountryId("иин|жсн|iin", r"\d{12}", ids.is_kazakh_number),
    CountryId("idnp|cod numeric personal moldova", r"\d{13}", ids.is_moldovan_idnp),
    CountryId("vkn|vergi kimlik|vergi no|vergi numarası", r"\d{10}", ids.is_turkish_tax_number),
    CountryId("رقم الهوية|الهوية الوطنية|iqama|saudi id|saudi national", r"[12]\d{9}", ids.has_luhn_digit),
    CountryId("emirates id|الهوية الإماراتية", r"784-?\d{4}-?\d{7}-?\d", ids.is_anything, rare=True),
    CountryId("الرقم القومي|egyptian national|egypt national", r"[23]\d{13}", ids.is_egyptian_id),
    CountryId("کد ملی|كد ملي|iranian national|codemelli|melli code", r"\d{3}-?\d{6}-?\d", ids.is_iranian_number),
    CountryId("cnic|nadra|pakistani identity|computerised national identity",
              r"\d{5}-\d{7}-\d|\d{13}", ids.has_different_digits, rare=True),
    CountryId("gstin|goods and services tax identification",
              r"\d\d ?[A-Z]{5}\d{4}[A-Z] ?[1-9A-Z]Z[\dA-Z]", ids.is_anything, rare=True),
    CountryId("epic|voter id|electoral photo identity", r"[A-Z]{3}\d{7}", ids.is_anything, rare=True),
    CountryId("sri lanka|sri lankan nic", r"\d{9}[VX]|(?:19|20)\d{10}", ids.is_anything, rare=True),
    CountryId("身分證|身份證字號|統一編號|taiwan id|taiwanese identity|national identification card (taiwan",
              r"[A-Z][1289]\d{8}", ids.is_taiwanese_id),
    CountryId("hkid|香港身份證|hong kong identity", r"[A-Z]{1,2}\d{6} ?\(?[\dA]\)?", ids.is_hong_kong_id),
    CountryId("사업자등록번호|brn|korean business registration", r"\d{3}-?\d\d-?\d{5}", ids.is_korean_firm),
    CountryId("法人番号|corporate number|houjin bangou|hōjin bangō",
              r"\d-?\d{4}-?\d{4}-?\d{4}", ids.has_different_digits),
    CountryId("cccd|căn cước|cmnd|chứng minh", r"0\d{11}|\d{9}", ids.has_different_digits),
    CountryId("mã số thuế|mst|vietnamese tax|vietnam tax", r"\d{10}(?:-?\d{3})?", ids.is_vietnamese_tax_number),
    CountryId("nik|nomor induk kependudukan|ktp|indonesian identity", r"\d{16}", ids.is_indonesian_nik),
    CountryId("npwp|nomor pokok wajib pajak",
              r"\d\d\.?\d{3}\.?\d{3}\.?\d-?\d{3}\.?\d{3}", ids.has_different_digits, rare=True),
    CountryId("mykad|nric|kad pengenalan|no. ic|malaysian identity", r"\d{6}-?\d\d-?\d{4}", ids.has_birth_date),
    CountryId("uen|unique entity number", r"\d{8,9}[A-Z]|[TSR]\d\d[A-Z]{2}\d{4}[A-Z]", ids.is_anything, rare=True),
    CountryId("abn|australian business number", rf"\d\d{_S}{_THREES}", ids.is_australian_abn),
    CountryId("acn|australian company number", _THREES, ids.is_australian_acn),
    CountryId("ird|inland revenue|ird number|new zealand tax",
              rf"\d{{2,3}}{_S}\d{{3}}{_S}\d{{3}}", ids.is_new_zealand_ird),
    CountryId("nhi|national health index",
              r"[A-HJ-NP-Z]{3}\d{4}|[A-HJ-NP-Z]{3}\d\d[A-HJ-NP-Z]{2}", ids.is_anything, rare=True),
    CountryId("ein|employer identification|fein|federal tax id", r"\d\d-\d{7}", ids.is_anything, rare=True),
    CountryId("itin|individual taxpayer", r"9\d\d-?[5-9]\d-?\d{4}", ids.is_anything, rare=True),
    CountryId("atin|adoption taxpayer|ptin|preparer tax", r"9\d\d-?93-?\d{4}|P\d{8}", ids.is_anything, rare=True),
    CountryId("ssn|social security", r"\d{3}-\d\d-\d{4}", ids.is_anything, rare=True),
    CountryId("medicare beneficiary|mbi",
              r"[1-9][A-Z][A-Z\d]\d-?[A-Z][A-Z\d]\d-?[A-Z]{2}\d\d", ids.is_anything, rare=True),
    CountryId("npi|national provider identifier", r"[12]\d{9}", ids.is_provider_number),
    CountryId("business number|bn (canad", r"\d{5} ?\d{4} ?(?:R[CMPT] ?\d{4})?", ids.has_luhn_digit),
    CountryId("pis|pasep|pis/pasep|nit|nis", r"\d{3}\.?\d{5}\.?\d\d-?\d", ids.is_brazilian_pis),
    CountryId("cnh|carteira nacional de habilitação|título de eleitor|titulo de eleitor|renavam",
              r"\d{11,12}", ids.has_different_digits),
    CountryId("rg|registro geral|carteira de identidade", r"\d{1,2}\.\d{3}\.\d{3}-?[\dX]", ids.is_anything, rare=True),
    CountryId("dni|documento nacional de identidad", r"\d{1,2}\.\d{3}\.\d{3}", ids.has_different_digits, rare=True),
    CountryId("nit|número de identificación tributaria|numero de identificacion tributaria|colombian tax",
              r"\d{3}\.?\d{3}\.?\d{3}-?\d", ids.is_colombian_nit),
    CountryId("ruc|registro único de contribuyentes|registro unico de contribuyentes",
              r"(?:10|15|17|20)\d{9}", ids.is_peruvian_ruc),
    CountryId("ruc|cédula|cedula|cédula de identidad|ecuadorian", r"\d{9}-?\d(?:-?001)?", ids.is_ecuadorian_id),
    CountryId("cédula de identidad|cedula de identidad|uruguayan|ci (", r"\d\.?\d{3}\.?\d{3}-?\d", ids.is_uruguayan_id),
    CountryId("ruc|paraguay", r"\d{5,8}-\d", ids.is_paraguayan_ruc),
    CountryId("rif|registro de información fiscal|registro de identificación fiscal|venezuelan",
              r"[VEJPGC]-?\d{8}-?\d", ids.is_venezuelan_rif),
    CountryId("cédula|cedula|dominican", r"\d{3}-?\d{7}-?\d", ids.has_luhn_digit),
    CountryId("rnc|registro nacional del contribuyente|registro nacional de contribuyentes",
              r"\d-?\d\d-?\d{5}-?\d", ids.is_dominican_rnc),
    CountryId("dui|documento único de identidad", r"\d{8}-\d", ids.is_anything, rare=True),
    CountryId("carné de identidad|carnet de identidad|cuban identity", r"\d{11}", ids.has_birth_date),
    CountryId("nss|número de seguridad social|imss", r"\d{11}", ids.has_luhn_digit),
    CountryId("kra|kra pin|kenyan tax", r"[AP]\d{9}[A-Z]", ids.is_anything, rare=True),
    CountryId("ghana card|ghanacard", r"GHA-\d{9}-\d", ids.is_anything, rare=True),
    CountryId("nin|bvn|national identification number", r"\d{11}", ids.has_different_digits),
    CountryId(
        "passeport|pasaporte|passaporto|passaporte|paszport|paspoort|reisepass|passnummer|pasfoto|cestovní pas"
        "|διαβατηρίου|διαβατήριο|паспорта|护照|護照|パスポート|旅券番号|여권|جواز السفر|جواز سفر|דרכון|पासपोर्ट"
        "|หนังสือเดินทาง|führerschein|fuhrerschein|permis de conduire|carnet de conducir|permiso de conducir"
        "|carta de condução|patente di guida|prawo jazdy|prawa jazdy|rijbewijs|körkort|運転免許|驾驶证|운전면허"
        "|carte d'identité|carte d'identite|carta d'identità|carta d'identita|cédula|cedula|bilhete de identidade"
        "|personalausweis|identiteitskaart|rg n",
        _DOCUMENT, ids.is_anything,
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def ids_by_word() -> dict[str, list[CountryId]]:
    """What each word announces."""
    found: dict[str, list[CountryId]] = {}
    for kind in COUNTRY_IDS:
        for word in kind.words.split("|"):
            found.setdefault(word, []).append(kind)
    return found


@lru_cache(maxsize=128)
def _compiled(form: str) -> re.Pattern[str]:
    """The pattern of a form, compiled for the first text with its word: all together take 12 ms."""
    return re.compile(rf"(?<![A-Z\d])(?<!\d[.,])(?:{form})(?![A-Z\d]|[.,-]\d)", re.IGNORECASE)


def find_country_id(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The number of each form after a word on the same line; `small` is the folded text."""
    end = at + len(word)
    if not _stands_alone(small, at, end) or (word in _WORDS and not text[at:end].isupper()):
        return
    line = text.find("\n", end, end + NEAR)
    last = line if line >= 0 else end + NEAR
    for kind in ids_by_word()[word]:
        for match in _compiled(kind.form).finditer(text, end, last + _LONGEST):
            if match.start() <= last and kind.check(_SEPARATORS.sub("", match.group()).upper()):
                yield match.span()
                break


def _stands_alone(small: str, start: int, end: int) -> bool:
    """Whether a Latin word is not part of a longer one; other scripts glue words together."""
    before, after = small[start - 1 : start], small[end : end + 1]
    if not small[start].isascii() or not small[end - 1].isascii():
        return True
    return not (before.isalnum() and before.isascii()) and (
        end - start > _SURE or not (after.isalpha() and after.isascii())
    )


_SCOPE = 1_500  # characters after a title or first mention that belong to it
_BEFORE = 60  # characters before a mention, as in "X is a valid Y"
_MOST_TITLES = 4_000  # mentions that are read
# Words that mean something else in lower case: only in capitals do they announce what follows.
_AMBIGUOUS_WORDS = """
run rut sin pan nas cif nip pps ico dic uid vat iva tva btw moms mva inn ein nit nis pis rg ruc rif dui nss nin kra
mst nik ird nhi acn abn uen brn epic npi mbi cnh rnc cpr cvr tfn ssn cnp taj pib oib bsn dni nie nif nir avs ahv hetu
rfc medicare passport
"""
# Of these, words that may begin a sentence or a title.
_WORDS = frozenset(("run", "ein", "nit", "pis", "rif", "dic", "epic", "nin", "dui"))
_AMBIGUOUS = frozenset(_AMBIGUOUS_WORDS.split())


class _Titles:
    """A search for the words of all countries that reads a text once."""

    def __init__(self) -> None:
        from ahocorasick_rs import AhoCorasick

        spellings = {
            spelling: word
            for word in ids_by_word()
            if _LATIN.search(word) is None or len(word) > _SHORTEST
            for spelling in (_joined(word), _joined(word).replace(" ", ""))
        }
        self._words = tuple(spellings.values())
        self._search = AhoCorasick(spellings)

    def find(self, text: str, small: str) -> dict[CountryId, list[tuple[int, int]]]:
        """The stretches of a text that each word covers."""
        scopes: dict[CountryId, list[tuple[int, int]]] = {}
        found = self._search.find_matches_as_indexes(_joined(small), overlapping=True)
        for count, (index, start, end) in enumerate(found):
            if count > _MOST_TITLES:
                break
            word = self._words[index]
            if not _is_mentioned(text, start, end, word):
                continue
            for kind in ids_by_word()[word]:
                stretches = scopes.setdefault(kind, [])
                begin = max(0, start - _BEFORE)
                if stretches and begin <= stretches[-1][1]:
                    stretches[-1] = (stretches[-1][0], end + _SCOPE)
                else:
                    stretches.append((begin, end + _SCOPE))
        return scopes


_SURROGATE = re.compile("[\ud800-\udfff]")
_LATIN = re.compile(r"[a-z]")
_SHORTEST = 2  # letters of a word that is not searched
_titles = lru_cache(maxsize=1)(_Titles)


def _joined(text: str) -> str:
    """The text with spaces between its words: `tax-id`, `tax_id` and "tax id" are one word."""
    return text.replace("_", " ").replace("-", " ")


def _is_mentioned(text: str, start: int, end: int, word: str) -> bool:
    """Whether a word is whole: also in `is_valid_nif` and `validateNif`; in capitals if it is short."""
    found = text[start:end]
    if not found.isascii():
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    if (word in _AMBIGUOUS or len(word) < _SURE - 2) and not found.isupper():
        camel = found[0].isupper() and (after.isupper() or before.islower())
        if not camel and (word in _WORDS or not found[0].isupper()):
            return False
    inside = before.isalnum() and not (before.islower() and found[0].isupper())
    return not inside and not (after.isalpha() and not (after.isupper() and found[-1].islower()))


def find_ids_by_title(text: str) -> Iterator[tuple[int, int]]:
    """Numbers with right check digits, or of a rare form, in the text after the name of their kind: in tables, lists,
    documentation and tests."""
    if not any(map(str.isdigit, text)):
        return
    small = fold(text)
    if not small.isascii():
        small = _SURROGATE.sub("?", small)  # the engine takes no lone ones
    for kind, stretches in _titles().find(text, small).items():
        if kind.check is ids.is_anything and not kind.rare:
            continue
        read = 0
        for start, end in stretches:
            at = max(start, read)
            while match := _compiled(kind.form).search(text, at, end):
                at = match.end()
                if match.group()[-1] != " " and kind.check(_SEPARATORS.sub("", match.group()).upper()):
                    yield match.span()
                    end = max(end, at + _SCOPE // 2)  # a list goes on
            read = max(read, end)


# `validate("…")`, and quoted numbers in tests and examples of identity documents of any country
_VALIDATED = re.compile(
    r"(?i:validate|is_?valid|is_?identity|is_?tax|checksum|compact)\w{0,24}\([^\S\n]?"
    r"(['\"`])(?P<number>(?!\d{7,9}\1)[A-Z0-9][\w ./+-]{6,22})\1",
)
_ANY_DOCUMENT = re.compile(
    r"(?i:identity[ _-]?(?:card|number|document)|national[ _-]?(?:id|identi)|tax[ _-]?(?:id|payer|number|identi)"
    r"|personal[ _-]?(?:id|code|number)|id[ _-]?card|vat[ _-]?(?:number|id|code)|citizen|social[ _-]?security)"
)
_QUOTED_NUMBER = re.compile(r"(['\"`])(?P<number>[A-Z0-9][A-Z0-9 ./+-]{6,22})\1")
_VALIDATORS = ("validate", "isvalid", "is_valid", "isidentity", "is_identity", "istax", "is_tax", "checksum", "compact")
_DOCUMENTS = (
    "identity",
    "national",
    "tax",
    "personal",
    "id card",
    "id-card",
    "id_card",
    "idcard",
    "vat",
    "citizen",
    "social",
)
_WITHOUT_CHECK = (ids.is_anything, ids.has_different_digits, ids.begins_with_day, ids.has_birth_date)


def find_validated_ids(text: str) -> Iterator[tuple[int, int]]:
    """Quoted numbers with the check digits of any country, where a program validates them or a title says so."""
    small = text.lower()
    if len(small) != len(text) or not any(quote in text for quote in "'\"`"):
        return
    found = (_VALIDATED.match(text, at) for at in find_words(small, _VALIDATORS))
    yield from (match.span("number") for match in found if match and _is_of_any_country(match["number"]))
    end = 0
    for title in filter(None, (_ANY_DOCUMENT.match(text, at) for at in find_words(small, _DOCUMENTS))):
        start, end = max(end, title.end()), title.end() + _SCOPE
        for match in _QUOTED_NUMBER.finditer(text, start, end):
            if _is_of_any_country(match["number"]):
                yield match.span("number")


def _is_of_any_country(number: str) -> bool:
    bare = _SEPARATORS.sub("", number).upper()
    return any(
        kind.check not in _WITHOUT_CHECK and _compiled(kind.form).fullmatch(number) and kind.check(bare)
        for kind in COUNTRY_IDS
    )
