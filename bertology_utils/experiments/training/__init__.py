"""Experiments of the training section."""
