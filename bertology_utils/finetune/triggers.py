"""Universal triggers: a few tokens in front of any text that flip a classifier's decision (wallace2019a).

HotFlip search: the gradient of the loss at the trigger's embeddings says which tokens would, to first order, raise it
most; the best few are tried, and the best trigger is kept. Only tokens that occur in no text of the task are allowed, so that
what is found cannot be an honest cue ("awful" in front of praise).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from ..data.items import Labelled
from ..subject.encode import Row, TooLong, batches
from ..subject.models import Subject
from . import Classifier, states, text_rows

Trigger = tuple[int, ...]


@dataclass(frozen=True)
class Search:
    """How hard to look: `length` tokens, `tries` candidates a position; the loss is that of `batch` items."""

    length: int = 3
    tries: int = 8
    batch: int = 32


def vocabulary(subject: Subject, texts: Sequence[str], *, shortest: int = 3) -> np.ndarray:
    """Ids of whole lower-case words that occur in none of the texts, (K,) ascending.

    Whole: the tokenizer gives the written word back as that one token, so a trigger can be typed.
    """
    used = {w.strip(".,;:!?\"'()").lower() for text in texts for w in text.split()}
    known = dict.fromkeys(t.lstrip("Ġ▁") for t in subject.tokenizer.get_vocab())
    words = [w for w in known if len(w) >= shortest and w.isascii() and w.isalpha() and w.islower() and w not in used]
    encoded = subject.tokenizer([[w] for w in words], is_split_into_words=True, add_special_tokens=False)["input_ids"]
    ids = sorted({e[0] for e in encoded if len(e) == 1 and e[0] != subject.tokenizer.unk_token_id})
    if not ids:
        raise ValueError(f"no word of {subject.name}'s vocabulary is free for triggers")
    return np.array(ids)


def prepended(row: Row, trigger: Trigger) -> Row:
    """The row with the trigger behind the first special token."""
    k = len(trigger)
    return Row(
        (row.ids[0], *trigger, *row.ids[1:]), (row.types[0],) * k + row.types, (-1,) * k + row.words, row.n_words
    )


def loss(classifier: Classifier, rows: Sequence[Row], gold: np.ndarray, trigger: Trigger) -> float:
    """Mean cross-entropy (nats) of the true classes with the trigger in front: what the search raises."""
    logits = _logits(classifier, [prepended(r, trigger) for r in rows])
    return float(F.cross_entropy(torch.from_numpy(logits), torch.from_numpy(gold)))


def gradient(classifier: Classifier, rows: Sequence[Row], gold: np.ndarray, trigger: Trigger) -> torch.Tensor:
    """Gradient (length, E) of `loss` at the trigger's piece embeddings."""
    table = classifier.subject.base.get_input_embeddings()
    (batch,) = batches(classifier.subject, [prepended(r, trigger) for r in rows], 10**9)
    embeddings = table(batch.ids).detach().requires_grad_(True)  # (B, T, E)
    wanted = torch.from_numpy(gold[batch.index]).to(classifier.subject.device)
    with torch.enable_grad():
        logits = classifier.head(states(classifier.subject, batch, embeddings).float())
        (found,) = torch.autograd.grad(F.cross_entropy(logits, wanted), embeddings)
    return found[:, 1 : 1 + len(trigger)].sum(0)


def search(
    classifier: Classifier, items: Sequence[Labelled], allowed: np.ndarray, how: Search = Search(), *, seed: int = 0
) -> tuple[Trigger, float]:
    """The trigger found that raises the loss on the items most, and that loss.

    Parameters
    ----------
    items : sequence of Labelled
        Those of the class to be attacked; at most `how.batch`, drawn with the seed, are used.
    allowed : array (K,)
        Token ids to choose from.

    Raises
    ------
    TooLong
        If an item does not fit with so many tokens in front.
    """
    rng = np.random.default_rng(seed)
    chosen = [items[k] for k in rng.permutation(len(items))[: how.batch]]
    rows = _rows(classifier.subject, chosen, how.length)
    gold = np.array([classifier.classes.index(i.label) for i in chosen])
    start = random_triggers(allowed, 1, how.length, seed)[0]
    embeddings: Any = classifier.subject.base.get_input_embeddings()
    table = embeddings.weight[torch.as_tensor(allowed)].float()  # (K, E)
    best = (loss(classifier, rows, gold, start), start)
    for place in range(how.length):
        _, trigger = best
        # the first-order gain of a token is its embedding times the gradient; what it replaces is the same for all
        gains = table @ gradient(classifier, rows, gold, trigger)[place].float()
        for k in gains.topk(min(how.tries, len(allowed))).indices.tolist():
            new = (*trigger[:place], int(allowed[k]), *trigger[place + 1 :])
            if new != trigger:
                best = max(best, (loss(classifier, rows, gold, new), new))
    return best[1], best[0]


def random_triggers(allowed: np.ndarray, n: int, length: int = 3, seed: int = 0) -> list[Trigger]:
    """Triggers of tokens drawn at random: what any disturbance of that length does."""
    rng = np.random.default_rng(seed)
    return [tuple(int(t) for t in rng.choice(allowed, length)) for _ in range(n)]


def right(classifier: Classifier, items: Sequence[Labelled], trigger: Trigger = ()) -> np.ndarray:
    """Whether each item is classified rightly with the trigger in front, (n,) bool; `TooLong` as in `search`."""
    rows = [prepended(r, trigger) for r in _rows(classifier.subject, items, len(trigger))]
    gold = np.array([classifier.classes.index(i.label) for i in items])
    return _logits(classifier, rows).argmax(1) == gold


def words(subject: Subject, trigger: Trigger) -> str:
    """The trigger as one would type it."""
    return " ".join(t.lstrip("Ġ▁") for t in subject.tokenizer.convert_ids_to_tokens(list(trigger)))


def _rows(subject: Subject, items: Sequence[Labelled], more: int) -> list[Row]:
    """The items' rows, each with room for so many tokens more."""
    rows = text_rows(subject, items)
    for item, row in zip(items, rows):
        if len(row.ids) + more > subject.max_length:
            raise TooLong(
                f"{len(row.ids)} pieces and a trigger of {more} where {subject.name} takes {subject.max_length}: "
                f"{item.text[:120]!r}"
            )
    return rows


def _logits(classifier: Classifier, rows: Sequence[Row]) -> np.ndarray:
    out = np.empty((len(rows), len(classifier.classes)), np.float32)
    for batch in batches(classifier.subject, rows, 4096):
        with torch.inference_mode():
            out[batch.index] = classifier.head(states(classifier.subject, batch).float()).cpu().numpy()
    return out
