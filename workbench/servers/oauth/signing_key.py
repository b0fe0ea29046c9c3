"""The private key with which a program proves itself: read, checked, and paired with an algorithm that fits it.

What is wrong with a key is told without a character of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from workbench.errors import WorkbenchError

_FITTING = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "P-256": ("ES256",),
    "P-384": ("ES384",),
    "P-521": ("ES512",),
    "Edwards": ("EdDSA",),
}
ALGORITHMS = tuple(name for names in _FITTING.values() for name in names)
_FEWEST_BITS = 2048  # of an RSA key; the signature of a shorter one may be forged
_PEM = re.compile(r"\s*-----BEGIN ([A-Z0-9 ]{1,40})-----(.{1,60000}?)-----END \1-----\s*", re.DOTALL)
_MAKE = "Make one: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256. Its owner keeps the public half."


def read_key(text: str, algorithm: str, wrong: Callable[[str], WorkbenchError]) -> tuple[str, str]:
    """The key as PEM and its algorithm, the usual one where none is wished. `wrong` makes the sentence."""
    pem = _lines(text, wrong)
    fitting = _FITTING.get(_kind(pem, wrong), ())
    if not fitting:
        raise wrong(f"is a key of a kind that signs none of {', '.join(ALGORITHMS)}")
    if algorithm and algorithm not in fitting:
        raise wrong(f"does not fit {algorithm}; it signs {' or '.join(fitting)}")
    return pem, algorithm or fitting[0]


def _lines(text: str, wrong: Callable[[str], WorkbenchError]) -> str:
    """A field of one line, or a variable, makes spaces or `\\n` of the ends of lines."""
    match = _PEM.fullmatch(text.replace("\\n", "\n"))
    if match is None:
        fault = wrong("is no private key in PEM form, with its lines BEGIN and END")
        raise WorkbenchError(fault.message, _MAKE)
    label, body = match.groups()
    if ":" in body or "ENCRYPTED" in label:
        fault = wrong("is locked by a passphrase")
        raise WorkbenchError(fault.message, "Store it without: openssl pkey -in key.pem. The keyring guards it.")
    packed = "".join(body.split())
    rows = (packed[start : start + 64] for start in range(0, len(packed), 64))
    return "\n".join((f"-----BEGIN {label}-----", *rows, f"-----END {label}-----", ""))


def _kind(pem: str, wrong: Callable[[str], WorkbenchError]) -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

    try:
        key: Any = serialization.load_pem_private_key(pem.encode(), None)  # Any: one of many kinds
    except Exception:  # its words may quote the key, and OpenSSL raises many kinds
        raise wrong("cannot be read as a private key") from None
    if isinstance(key, rsa.RSAPrivateKey):
        if key.key_size < _FEWEST_BITS:
            raise wrong(f"has {key.key_size} bits, which is fewer than {_FEWEST_BITS}")
        return "RSA"
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"}.get(key.curve.name, "")
    return "Edwards" if isinstance(key, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)) else ""
