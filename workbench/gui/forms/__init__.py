"""A form from any JSON Schema: fields with the right editors, checked while they are typed, nothing lost on the way."""
