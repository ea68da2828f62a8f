"""The one base of errors that a user can mend."""

from __future__ import annotations


class Refusal(Exception):
    """Something asked for cannot be had or done; the message is one line that says what, why and what to do.

    The command line prints it without a traceback; anything else is a bug and keeps its traceback.
    """


class Unwritten(Refusal, NotImplementedError):
    """What `bertology new-claim` left to be written; the message says where."""


class TooFew(Refusal, ValueError):
    """A split, a class or a fold has no item, or nothing is left to measure: more items are needed."""
