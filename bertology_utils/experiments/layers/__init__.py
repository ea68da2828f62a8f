"""Where in the stack: word order, structure, meaning and the pretraining task, layer by layer."""
