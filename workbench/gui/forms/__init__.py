"""Forms made from JSON Schema, and the validation of what is typed into them."""
