"""Where secrets are kept: the system's keyring, an encrypted file, or memory for the session. Never plain text."""
