"""Knows names of people under keys; in free prose this room does not look for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYS_WORDS = """
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
KEYS = frozenset(_KEYS_WORDS.split())
# Keys that hold a name only if it looks like one: a person's role. `name` alone says even less.
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
# The same, but things have these too: a host, an editor, an operator.
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


def find(text: str) -> Iterator[tuple[int, int]]:
    """Nothing: a name has no form of its own."""
    return iter(())


def accepts(value: str) -> bool:
    """Whether a value under a name's key can be one."""
    bare = value.strip()
    words = bare.split()
    return _NAME.fullmatch(bare) is not None and 1 <= len(words) <= MOST_WORDS and bare.lower() not in _NO_NAME


def assigned(value: str) -> bool:
    """Whether what follows `customer name:` in a text reads as a name and not as code or a sentence."""
    words = value.replace(",", " ").split()
    return accepts(value) and not _CODE.search(value) and all(w[0].isupper() or w in PARTICLES for w in words)


def looks_like_one(value: str) -> bool:
    """Whether a value under a role's key reads as first and last name."""
    words = _WORD.findall(value)
    return assigned(value) and 2 <= len(words) <= 5 and NO_PERSON.isdisjoint(word.lower().strip(".") for word in words)
