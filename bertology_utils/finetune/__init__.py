"""Fine-tuning: one loop (`train`) for every head; `classify` is the usual case, a text or a pair of texts with a class.

What comes back is a subject like any other, so whatever reads vectors or attention maps, or ablates heads, works on it.
"""

from .classes import ClassHead, Classifier, classify, constant, fitting, text_rows
from .loop import Read, Recipe, Way, duplicate, seeded, states, train, trainable
