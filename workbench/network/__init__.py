"""Network access for programs in the sandbox: host rules, blocked addresses, egress filter and relays."""
