"""The pages on which a result can be looked at: text, tree, table, prose, pictures, parts, changes."""
