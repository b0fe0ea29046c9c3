"""The user's rules, trust in servers and run profiles; tool annotations and the risk of tools; the judgement of
calls."""
