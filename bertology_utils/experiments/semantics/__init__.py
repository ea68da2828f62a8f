"""Semantic knowledge (section 3.2 of the survey): roles, what can be probed, numbers, names."""
