"""The door for people: the only room that knows Qt. It decides nothing; it asks the core and shows what it hears."""
