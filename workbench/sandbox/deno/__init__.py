"""TypeScript programs: the locked child executes Deno, which uses the same channel frames as Python programs."""
