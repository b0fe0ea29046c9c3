"""What is observed of servers: messages, logs, statistics of calls and processes."""
