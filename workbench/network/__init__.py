"""What programs may reach outside the sandbox: the rules, the addresses nobody may reach, and the relays between."""
