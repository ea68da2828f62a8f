"""Subjects: the models under study, and everything that runs them."""
