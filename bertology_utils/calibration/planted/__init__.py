"""Planted subjects: what a claim speaks of, put into vectors, maps or logits from the gold annotation, plus noise.

`plant` joins pieces into a subject. A piece of the hidden states is a `Part`: values by word, a strength for every layer
and noise; a piece of the attention is a function that gives maps; a piece of the logits one that gives gains. Those
here are the shapes that claims have; another is a few lines of its own.
"""

from __future__ import annotations

from .attention import Pairs, arcs_of, even_maps, head_attention
from .logits import choice_logits, restored
from .parts import (
    Labels,
    Part,
    above_embeddings,
    bump,
    code,
    cone,
    label_vectors,
    of_spans,
    of_words,
    plant,
    rising,
    text_vectors,
    word_vectors,
)
from .trees import impact, tree_distances, tree_vectors
