"""Claim cards: what was claimed, what came of it for whom, how sure that is. Always made from evidence; nothing is measured."""

from .card import Card, card
from .findings import five, found
from .overview import overview
