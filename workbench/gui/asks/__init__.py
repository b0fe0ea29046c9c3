"""What servers ask of a person: the strip that says so, and the dialogs that answer."""
