"""Elicitation and sampling requests of servers: parsed, kept open, and answered by the user."""
