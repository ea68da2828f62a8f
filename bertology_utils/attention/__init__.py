"""Statistics of attention heads: one pass over a corpus, patterns, relations, norms, importance.

Heads and layers are counted from 0 everywhere.
"""
