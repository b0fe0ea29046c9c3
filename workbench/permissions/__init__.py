"""The user's rules, trust in servers and run profiles; what is believed of tools; the one judgement of a call."""
