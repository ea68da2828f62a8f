"""One or two items of every claim, and what a network answers to them now."""

from .example import examples, lines
