"""Experiments of the survey's section on world knowledge."""
