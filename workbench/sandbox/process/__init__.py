"""Sandbox processes: a launcher forks locked children for the core, in the strongest backend that works here."""
