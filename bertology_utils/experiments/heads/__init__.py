"""Attention heads: what they look at, what they are good for, whether they explain anything."""
