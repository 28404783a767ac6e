"""Real text: loading it, cutting it into subwords, training the course's Transformer on it, translating with it."""
