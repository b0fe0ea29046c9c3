"""Secret stores: the system's keyring, an encrypted file, or memory. Secrets are never written as plain text."""
