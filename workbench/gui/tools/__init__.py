"""One tool with its form and answer; saved calls and the call history."""
