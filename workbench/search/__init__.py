"""Search over tools, resources, prompts and skills: lexical ranking, word vectors, and learning from use."""
