"""TypeScript programs: the locked child becomes Deno and speaks the same frames."""
