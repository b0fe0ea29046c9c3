"""Other agents' own shell, file and MCP calls: their hooks ask this core, which applies rules, queue and audit."""
