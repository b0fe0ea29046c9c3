"""What servers ask of a person: read, kept open, answered. It speaks to nobody; the catalog and the desk do."""
