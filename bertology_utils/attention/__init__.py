"""Statistics of attention heads: one pass over a corpus, patterns, relations, norms, importance.

In code heads and layers are counted from 0; in rows, figures and names blocks and heads are counted from 1.
"""
