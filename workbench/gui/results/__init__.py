"""Views of a value: text, table, tree, pictures, parts, plots; PII tokens drawn as chips."""
