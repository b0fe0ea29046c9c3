"""Why a certificate was not taken, and what can be done, from OpenSSL's number for it."""

from __future__ import annotations

import ssl

_WHY = {
    9: ("The certificate is not valid yet.", "Is the clock of this computer right?"),
    10: ("The certificate has expired.", "Whoever runs the server must renew it. Is the clock of this computer right?"),
    18: ("The certificate was signed by itself.", "Trust it in the system's store, or set SSL_CERT_FILE to it."),
    19: ("The chain ends in a certificate nobody here trusts.", "Add that CA to the system's store, or SSL_CERT_FILE."),
    20: ("The issuer of the certificate is not known here.", "Add its CA to the system's store, or to SSL_CERT_FILE."),
    21: ("The server sends only its own certificate, without the chain.", "Whoever runs it must send the whole chain."),
    62: ("The certificate is for another name.", "Use the name it was made for."),
    64: ("The certificate is for another address.", "Use the name it was made for."),
}
_ELSE = (
    "The certificate was not taken.",
    "It must be known to this system. A company's own authority belongs into the system's store, or SSL_CERT_FILE.",
)


def why_refused(fault: ssl.SSLCertVerificationError) -> tuple[str, str]:
    """A sentence, and what to do."""
    return _WHY.get(getattr(fault, "verify_code", 0), _ELSE)
