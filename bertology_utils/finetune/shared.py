"""Tuned models that several claims share: made once per process, and kept while there is room for their weights."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from .classes import Classifier

# Bytes of weights of the tuned models held at once: five of BERT-base, all seeds of a task. With as many more on the way
# (a model, its random start, a copy in training with its gradients and moments) a run of everything stays within 8 GB.
ROOM = 22 * 2**30 // 10

_MODELS: OrderedDict[Hashable, Classifier] = OrderedDict()


def once(key: Hashable, make: Callable[[], Classifier]) -> Classifier:
    """What `make` gives, made again only if `ROOM` did not last for it; the one not asked for longest goes first.

    Parameters
    ----------
    key : hashable
        Everything that the result depends on: subject, items, seed, way of tuning.
    make : callable
    """
    if key not in _MODELS:
        _MODELS[key] = make()
    _MODELS.move_to_end(key)
    while len(_MODELS) > 1 and sum(map(bytes_of, _MODELS.values())) > ROOM:
        _MODELS.popitem(last=False)
    return _MODELS[key]


def bytes_of(run: Classifier) -> int:
    """Of the weights of a tuned encoder; its head is small."""
    return sum(p.numel() * p.element_size() for p in run.subject.model.parameters())
