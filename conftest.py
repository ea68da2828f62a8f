"""Notebooks are compared by numbers, wherever pytest is asked to run them (`pytest --nbval`)."""

pytest_plugins = ["tests.nbval_numbers"]
