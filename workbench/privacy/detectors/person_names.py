"""Keys that announce names of people and companies, and checks whether a value looks like such a name."""

from __future__ import annotations

import re

from workbench.privacy.detectors import user_names
from workbench.privacy.detectors.word_lists import COMMON_WORDS as COMMON
from workbench.privacy.detectors.word_lists import THING_WORDS as THINGS

_NAME_KEYS = """
full_name full_names fullname first_name firstname given_name givenname last_name lastname family_name familyname
surname middle_name middlename maiden_name birth_name real_name customer_name client_name contact_name patient_name
employee_name account_holder card_holder cardholder cardholder_name holder_name beneficiary_name recipient_name
sender_name author_name assignee_name reporter_name owner_name manager_name user_full_name person_name legal_name
nickname preferred_name attendee_name guest_name passenger_name student_name doctor_name signer_name
emergency_contact billing_name shipping_name name_on_card payee spouse next_of_kin insured_name fname lname
vorname nachname from_name to_name mother_maiden_name buyer_name seller_name tenant_name driver_name
first_names last_names second_name surnames forename forenames given_names family_names full_legal_name
account_holder_name guardian_name parent_name spouse_name father_name mother_name applicant_name borrower_name
visitor_name realname requester_name submitter_name reviewer_name organizer_name speaker_name teacher_name member_name
lead_name signatory_name consignee consignee_name nome cognome nombre apellido apellidos prenom voornaam achternaam
"""
NAME_KEYS = frozenset(_NAME_KEYS.split())
# Keys of roles, whose value is a name only if it looks like one. `name` alone says even less.
_ROLES_WORDS = """
author assignee reporter owner customer client contact manager creator created_by updated_by modified_by assigned_to
requested_by approved_by submitted_by reviewed_by submitter requester sender recipient attendee participant lead person
employee patient member reviewer signatory buyer seller tenant landlord driver passenger candidate interviewer doctor
user committer organizer guest teacher student agent_name display_name displayname global_name posted_by
bill_to ship_to sold_to deliver_to invoice_to attn attention care_of prepared_for prepared_by written_by sent_by
reported_by opened_by closed_by merged_by last_modified_by last_edited_by uploaded_by owned_by managed_by supervisor
line_manager hiring_manager account_manager account_owner case_owner deal_owner record_owner mentor nurse therapist
lawyer attorney applicant borrower debtor beneficiary claimant insured policyholder policy_holder subscriber traveller
traveler visitor resident occupant maintainer contributor co_author last_modifying_user primary_contact
secondary_contact point_of_contact contact_person assigned_agent technician cashier salesperson sales_rep
account_executive recruiter presenter instructor
"""
ROLES = frozenset(_ROLES_WORDS.split())
# Roles that things have too: a host, an editor, an operator.
_LOOSE_ROLES_WORDS = (
    "agent host editor operator speaker trainer coach responsible inspector guide actor representative poc"
)
LOOSE_ROLES = frozenset(_LOOSE_ROLES_WORDS.split())
MOST_WORDS = 6

_NAME = re.compile(r"[^\W\d_][^\d_@{}<>=|\\/:;\[\]#$%^*~\"\0\n]{1,79}")
_CODE = re.compile(r"[()!?&+]|\w\.\w")
_WORD = re.compile(r"[^\s,]+")
_PARTICLES_WORDS = "de van der den von da di del della la le el bin al dos du y of ter ten zu"
PARTICLES = frozenset(_PARTICLES_WORDS.split())
_NO_PERSON_WORDS = """
team department group support sales service services bot admin system inc ltd llc gmbh ag corp company office
anonymous unknown none null string user guest everyone marketing engineering desk account automation test operations
workbench
"""
NO_PERSON = frozenset(_NO_PERSON_WORDS.split())
_NO_NAME_WORDS = "string null none unknown n/a na anonymous object true false undefined"
_NO_NAME = frozenset(_NO_NAME_WORDS.split())


def can_be_name(value: str) -> bool:
    """Whether a value under a name key can be a name."""
    bare = value.strip()
    words = bare.split()
    return _NAME.fullmatch(bare) is not None and 1 <= len(words) <= MOST_WORDS and bare.lower() not in _NO_NAME


def is_assigned_name(value: str) -> bool:
    """Whether the text after `customer name:` looks like a name, not like code or a sentence."""
    words = value.replace(",", " ").split()
    return can_be_name(value) and not _CODE.search(value) and all(w[0].isupper() or w in PARTICLES for w in words)


def is_full_name(value: str) -> bool:
    """Whether a value under a role's key looks like first and last name."""
    words = _WORD.findall(value)
    return (
        is_assigned_name(value)
        and 2 <= len(words) <= 5
        and NO_PERSON.isdisjoint(word.lower().strip(".") for word in words)
    )


_LETTERS = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"(?:[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\W\d_]\.)[,.]?")
_INITIAL = 2  # letters of an initial
_MOST = 5
_HANDLE = re.compile(r"@?[a-z][a-z0-9]*(?:[._][a-z0-9]+)*")
_CASED_HANDLE = re.compile(r"@?[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*")
_LONGEST_HANDLE = 40
_ID = re.compile(r"[A-Z]{1,4}[A-Z0-9]*\d[A-Z0-9]*|[a-z]{1,3}[_-]?\d+|[a-z]{1,12}[_-]?\d{5,}|[0-9a-f]{8,}")
_NOBODY_WORDS = """
root admin administrator system bot user guest test anonymous unknown nobody null none default service support string
github dependabot renovate ci deploy deployer backup daemon postgres mysql redis www http https api app server
public private internal external everyone team all me you self true false human ai assistant model agent tool function
object number boolean array integer date required optional yes no
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())


def is_plausible_name(value: str) -> bool:
    """Whether the `name` of a record about a person is a person's: not a team or desk."""
    words = {word.lower() for word in _LETTERS.findall(value)}
    return can_be_name(value) and words.isdisjoint(NO_PERSON) and not words <= THINGS


def is_likely_name(value: str) -> bool:
    """Whether a `name` without context looks like first and last name, not like a thing's name."""
    parts = value.replace(",", ", ").split()
    if not 2 <= len(parts) <= _MOST or not all(map(_is_part, parts)):
        return False
    words = [word.lower() for word in _LETTERS.findall(value) if len(word) > _INITIAL]
    return len(words) >= 2 and THINGS.isdisjoint(words) and not COMMON.issuperset(words)


def is_handle(value: str) -> bool:
    """Whether a value under a role's key is a user name: one word, no id, no system account."""
    bare = value.strip()
    if not 3 <= len(bare) <= _LONGEST_HANDLE or not _HANDLE.fullmatch(bare) or _ID.fullmatch(bare):
        return False
    return bare.lstrip("@") not in _NOBODY and bare not in THINGS and user_names.is_user_name(bare)


def is_login(value: str) -> bool:
    """As `is_handle`, for the key `user`, where capitals and hyphens are possible."""
    bare = value.strip()
    if not 2 <= len(bare) <= _LONGEST_HANDLE or not _CASED_HANDLE.fullmatch(bare) or _ID.fullmatch(bare):
        return False
    return bare.lstrip("@").lower() not in _NOBODY and bare.upper() != bare


def _is_part(part: str) -> bool:
    return part in PARTICLES or (_PART.fullmatch(part) is not None and part[0].isupper() and not _shouts(part))


def _shouts(part: str) -> bool:
    """Whether a word is an abbreviation such as `API`; a single letter is an initial."""
    return len(part.rstrip(".,")) > 1 and part.isupper()


_COMPANY_KEYS = """
company company_name employer employer_name organization organisation organization_name organisation_name
business_name firm legal_entity company_legal_name workplace firma
"""
COMPANY_KEYS = frozenset(_COMPANY_KEYS.split())

_COMPANY_NAME = re.compile(r"[^\W_][^{}<>=|\\@\[\]\"\0\n]{1,99}")
_COMPANY_ID = re.compile(r"[A-Za-z]{0,8}[_-]?\d+|[0-9a-fA-F-]{16,}|https?:.*")
_NO_COMPANY_WORDS = "string null none unknown n/a true false object self internal external"
_NO_COMPANY = frozenset(_NO_COMPANY_WORDS.split())


def is_assigned_company(value: str) -> bool:
    """Whether the text after `company:` looks like a name, not like code or a sentence."""
    words = value.replace(",", " ").replace("&", " ").split()
    plain = len(words) <= 5 and not any(mark in value for mark in "()/?!:;")
    return (
        plain
        and can_be_company(value)
        and value.lower() not in COMPANY_KEYS
        and all(not word[0].islower() for word in words)
    )


def can_be_company(value: str) -> bool:
    """Whether a value under a company key is a name, not an id."""
    bare = value.strip()
    return (
        _COMPANY_NAME.fullmatch(bare) is not None
        and not _COMPANY_ID.fullmatch(bare)
        and bare.lower() not in _NO_COMPANY
    )
