"""Things by what they have in common."""

from __future__ import annotations

from collections import defaultdict


def by(things, key):
    """Key -> the things that have it, in their order."""
    groups = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return groups
