"""Rules, network, secrets, isolation, REPL sessions and tokens."""
