"""The embeddings chapter: what kind of space contextual vectors live in."""
