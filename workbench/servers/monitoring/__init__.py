"""Monitoring of servers: messages, logs, statistics of calls and processes."""
