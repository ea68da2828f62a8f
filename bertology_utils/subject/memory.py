"""How large a batch an accelerator's memory takes: tried before a stream begins, halved until it fits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch

from ..errors import Refusal

if TYPE_CHECKING:
    from .models import Subject

_fitted: WeakKeyDictionary[Any, set[tuple[int, int]]] = WeakKeyDictionary()  # subject -> (rows, pieces per row)


class TooLarge(Refusal, MemoryError):
    """One row alone does not fit into the device's memory; the message says how long it is."""


def attempt(subject: Subject, rows: int, length: int) -> None:
    """Put a batch through with all that an experiment may keep of it: states and maps of every layer."""
    ids = torch.full((rows, length), int(subject.tokenizer.unk_token_id or 0), device=subject.device)
    with torch.inference_mode():
        subject.base(
            input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True, output_attentions=True
        )


def affordable(
    subject: Subject, budget: int, length: int, attempt: Callable[[Subject, int, int], None] = attempt
) -> int:
    """The budget itself, or as often halved as it takes for its batches to fit.

    Parameters
    ----------
    budget : int
        Pieces per batch, padding counted.
    length : int
        Pieces of the longest row; shorter ones need less, since maps grow with the square.

    Raises
    ------
    TooLarge
        If a single row does not fit.
    """
    known = _fitted.setdefault(subject, set())
    while True:
        rows = max(1, budget // length)
        if any(rows <= r and length <= n for r, n in known):
            return budget
        try:
            attempt(subject, rows, length)
        except torch.OutOfMemoryError as error:
            if rows == 1:
                raise TooLarge(f"a row of {length} pieces does not fit into the memory of {subject.device}") from error
            budget //= 2
            warnings.warn(f"batches of {subject.name} are halved to {budget} pieces: memory is short", stacklevel=2)
        else:
            known.add((rows, length))
            return budget
        torch.cuda.empty_cache()  # outside the handler, whose traceback holds the tensors
