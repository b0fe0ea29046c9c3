"""Elicitation and sampling requests of servers: parsed, held open, and answered by the user."""
