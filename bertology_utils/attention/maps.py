"""Attention maps as a stream of batches: word level, padded, with what each unit is and, on request, value norms.

`subject.attentions` hands over one sentence at a time; here a whole batch stays one tensor, so that a statistic is one
line over it. A unit is a special token or a word. Padding is marked once, in `real`, and its weights are zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import torch

from ..settings import Settings
from ..subject import encode
from ..subject.attentions import word_units
from ..subject.encode import Row
from ..subject.hooks import head_outputs, head_values
from ..subject.models import Subject

KINDS = ("[CLS]", "[SEP]", ". or ,", "other")
STOPS = frozenset(".,")


@dataclass(frozen=True)
class Maps:
    """The maps of one batch; B sentences, L layers, A heads, U units (special tokens and words, or pieces).

    Attributes
    ----------
    index : list of int
        Which sentences of the stream these are.
    weights : Tensor (B, L, A, U, U)
        ``[b, l, a, q, k]``: attention of unit q to unit k; zero where either is padding.
    norms : Tensor (B, L, A, U, U) or None
        ``alpha * ||f(x)||`` in the same shape, f being value and output projection of the head (kobayashi2020).
    values : Tensor (B, L, A, U) or None
        ``||f(x)||``, mean over the pieces of a unit.
    real : Tensor (B, U), bool
    kinds : Tensor (B, U), int
        Index into `KINDS`; -1 for padding.
    words : Tensor (B, U), int
        Index of the word; -1 for special tokens and padding.
    """

    index: list[int]
    weights: torch.Tensor
    norms: torch.Tensor | None
    values: torch.Tensor | None
    real: torch.Tensor
    kinds: torch.Tensor
    words: torch.Tensor

    @property
    def place(self) -> list[dict[int, int]]:
        """For each sentence: word index -> its first unit."""
        out = []
        for row in self.words.tolist():
            found: dict[int, int] = {}
            for unit, word in enumerate(row):
                if word >= 0:
                    found.setdefault(word, unit)
            out.append(found)
        return out


def is_stop(word: str) -> bool:
    """Whether a word is a full stop or a comma: what clark2019 and kobayashi2020 count as punctuation."""
    return word in STOPS


def is_punctuation(word: str) -> bool:
    """Whether a word has neither letter nor digit: what is no word of a tree or of a scope."""
    return not any(c.isalnum() for c in word)


def maps(
    subject: Subject,
    sentences: Iterable[Sequence[str]],
    *,
    second: Sequence[Sequence[str]] | None = None,
    word_level: bool = True,
    norms: bool = False,
    settings: Settings | None = None,
) -> Iterator[Maps]:
    """Stream the maps of sentences (given as words), batch by batch, sentences of like length together.

    Attention is summed over the pieces of the word attended to and averaged over those of the word attending
    (clark2019); without `word_level`, units are pieces.
    """
    budget = (settings or Settings.of()).budget
    for start, window in encode.windows(sentences):
        others = None if second is None else list(second[start : start + len(window)])
        rows = encode.tokenize(subject, window, others)
        for batch in encode.batches(subject, rows, budget):
            texts = [[*window[i], *(others[i] if others else ())] for i in batch.index]
            yield _batch(subject, batch, texts, [start + i for i in batch.index], word_level, norms)


def _batch(subject: Subject, batch: encode.Batch, texts: list, index: list[int], word_level: bool, norms: bool) -> Maps:
    recording: AbstractContextManager[list[torch.Tensor]] = recorded_values(subject) if norms else nullcontext([])
    with recording as inputs:
        attentions = encode.forward(subject, batch, output_attentions=True).attentions
    if not attentions:
        raise RuntimeError(f"{subject.name} returned no attention maps: its attention is not eager")
    weights = torch.stack(attentions, 1).float()  # (B, L, A, T, T)
    mask = batch.mask.bool()
    weights = weights * mask[:, None, None, :, None]  # rows of padding are no distributions; its columns are zero
    value = weighted = None
    if norms:
        value = torch.stack([value_norms(subject, k, v) for k, v in enumerate(inputs)], 1)  # (B, L, A, T)
        weighted = weights * value[..., None, :]
    units = [_units(subject, row, word_level) for row in batch.rows]
    width = max(len(words) for words, _, _ in units)
    if word_level:
        join = torch.zeros(len(units), batch.ids.shape[1], width, device=weights.device)  # (B, T, U)
        for b, (_, _, member) in enumerate(units):
            join[b, torch.arange(len(member)), torch.tensor(member)] = 1
        mean = join / join.sum(1, keepdim=True).clamp(min=1)
        left, right = mean.transpose(1, 2)[:, None, None], join[:, None, None]
        weights = left @ weights @ right  # (B, L, A, U, U)
        if value is not None and weighted is not None:
            weighted, value = left @ weighted @ right, value @ mean[:, None]
    words = torch.full((len(units), width), -1)
    kinds = torch.full((len(units), width), -1)
    for b, (of, names, _) in enumerate(units):
        words[b, : len(of)] = torch.tensor(of)
        kinds[b, : len(of)] = torch.tensor(
            [
                KINDS.index(name) if name in KINDS else 2 if w >= 0 and is_stop(texts[b][w]) else 3
                for w, name in zip(of, names)
            ]
        )
    kinds, words = kinds.to(weights.device), words.to(weights.device)
    return Maps(index, weights, weighted, value, kinds >= 0, kinds, words)


def _units(subject: Subject, row: Row, word_level: bool) -> tuple[list[int], list[str], list[int]]:
    """(word of each unit, name of each special token, unit of each piece)."""
    what, member = word_units(subject, row)
    if word_level:
        return list(what.words), list(what.tokens), member.tolist()
    return list(row.words), [what.tokens[u] for u in member], list(range(len(member)))


@contextmanager
def recorded_values(subject: Subject) -> Iterator[list[torch.Tensor]]:
    """Within the context the list receives the value vectors (B, T, H) of each layer in turn."""
    out: list[torch.Tensor] = []
    with ExitStack() as stack:
        for layer in range(subject.n_layers):
            handle = head_values(subject, layer).register_forward_hook(lambda module, args, value: out.append(value))
            stack.callback(handle.remove)
        yield out


def value_norms(subject: Subject, layer: int, values: torch.Tensor) -> torch.Tensor:
    """||f(x)|| of every head, (B, A, T), from the layer's value vectors (B, T, H).

    f(x) is the head's value vector through its slice of the output projection; the bias of that projection belongs to no
    head and is left out (kobayashi2020). Through the Gram matrix of the slice, the (B, A, T, H) vectors are never made.
    """
    weight = head_outputs(subject, layer).weight.float()  # (H, A * d)
    slices = weight.view(weight.shape[0], subject.n_heads, -1)  # (H, A, d)
    gram = torch.einsum("hai,haj->aij", slices, slices)  # (A, d, d)
    value = values.float().view(*values.shape[:2], subject.n_heads, -1)  # (B, T, A, d)
    return torch.einsum("btai,aij,btaj->bat", value, gram, value).clamp(min=0).sqrt()
