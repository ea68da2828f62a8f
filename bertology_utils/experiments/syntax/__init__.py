"""Syntactic knowledge (survey, section 3.1)."""
