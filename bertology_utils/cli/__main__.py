"""``python -m bertology_utils.cli``."""

from . import main

main()
