"""The audit: an append-only, hash-chained log that can be verified, searched, exported and reported on."""
