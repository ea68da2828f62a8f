"""Scores: intervals, trees, profiles over layers, counts."""
