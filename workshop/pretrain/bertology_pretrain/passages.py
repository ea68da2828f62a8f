"""Text for mask adapters: passages in an order of the seed's, rows of whole sentences, batches of like length, masks.

Unlike `corpus`, nothing is tokenised before it is read: a network of others' has its own pieces, and an adapter sees a small
part of a corpus.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .masking import seed
from .modelcard import languages
from .text import find, is_held_out, lines, sentences

if TYPE_CHECKING:
    from .adapt import Plan

PASSAGE = 6000  # characters


class Text:
    """The passages of some files, in an order of the seed's, and those held out."""

    def __init__(self, corpus: Iterable[str | Path], plan: Plan) -> None:
        self.files = find(corpus, ("verse_ids.*",))
        self.passages: list[list[str]] = []  # of each file; paragraphs joined by line breaks
        self.held: list[list[str]] = []
        for path in self.files:
            whole = list(_passages(path))
            out = [is_held_out(d, plan.held_out) for d in whole]
            self.passages.append([d for d, o in zip(whole, out, strict=True) if not o])
            self.held.append([d for d, o in zip(whole, out, strict=True) if o])
        sizes = np.array([sum(map(len, d)) for d in self.passages], float) ** plan.power
        self.shares = sizes / sizes.sum()
        self.plan = plan

    def drawn(self, tokenizer: Any, start: int = 0) -> Iterator[tuple[int, list[list[int]]]]:
        """The rows of one passage after another, from draw `start` on: (draw, rows of pieces without special symbols).

        A draw takes the next passage, in an order of the seed's, of a file that is drawn by `shares`.
        """
        seeds = [seed(self.plan.seed, "order", i) for i in range(len(self.files))]
        orders = [np.random.default_rng(s).permutation(len(d)) for s, d in zip(seeds, self.passages, strict=True)]
        taken = [0] * len(orders)
        files = np.random.default_rng(seed(self.plan.seed, "files"))
        for draw in itertools.count():
            file = int(files.choice(len(orders), p=self.shares))
            at, taken[file] = taken[file] % len(orders[file]), taken[file] + 1
            if draw >= start:
                rng = np.random.default_rng(seed(self.plan.seed, "rows", draw))
                yield draw, list(cut(self.passages[file][orders[file][at]], tokenizer, self.plan, rng))

    def held_rows(self, tokenizer: Any, n: int, of: str | None = None) -> list[list[int]]:
        """So many rows of the passages held out, of each file (of one language) by its share."""
        mine = [i for i, path in enumerate(self.files) if of is None or languages([path.name]) == {of}]
        shares = self.shares / self.shares[mine].sum()
        out: list[list[int]] = []
        for i in mine:
            rng = np.random.default_rng(seed("held", i))
            rows = [row for passage in self.held[i] for row in cut(passage, tokenizer, self.plan, rng)]
            out += [rows[k] for k in rng.permutation(len(rows))[: max(1, round(n * shares[i]))]]
        return out


def _passages(path: Path) -> Iterator[str]:
    """Paragraphs that follow one another in a document, up to some `PASSAGE` characters.

    A novel is one document: by passages it is mixed with other texts, and a part of it can be held out. Sentences are split when
    a passage is drawn: of most corpora a small part is read.
    """
    paragraphs: list[str] = []
    size = 0
    for line in lines(path):
        if paragraphs and (not line or size + len(line) > PASSAGE):
            yield "\n".join(paragraphs)
            paragraphs, size = [], 0
        if line:
            paragraphs.append(line)
            size += len(line)
    if paragraphs:
        yield "\n".join(paragraphs)


def cut(passage: str, tokenizer: Any, plan: Plan, rng: np.random.Generator) -> Iterator[list[int]]:
    """A passage's rows: whole sentences up to the row's length, a longer sentence's first pieces."""
    wanted = [s for p in passage.split("\n") for s in sentences(p)]
    if not wanted:
        return
    room = plan.length - 2
    row: list[int] = []
    length = _target(plan, rng)
    for ids in tokenizer(wanted, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]:
        if row and len(row) + len(ids) > length:
            yield row
            row, length = [], _target(plan, rng)
        row = (row + ids)[:room]
    if len(row) > 4:
        yield row


def _target(plan: Plan, rng: np.random.Generator) -> int:
    return int(rng.integers(8, plan.length - 1)) if rng.random() < plan.short else plan.length - 2


def batches(
    passages: Iterator[tuple[int, list[list[int]]]], plan: Plan, pool: int = 16
) -> Iterator[tuple[int, list[list[int]]]]:
    """Rows of like length together, some `batch` pieces each: (draw to go on from, rows).

    A pool of batches is sorted at a time; the draw is -1 but at a pool's end, where a run can be taken up.
    """
    while True:
        pieces, drawn, draw = 0, [], 0
        while pieces < pool * plan.batch:
            draw, rows = next(passages)
            drawn += rows
            pieces += sum(len(row) + 2 for row in rows)
        drawn.sort(key=len)
        groups: list[list[list[int]]] = [[]]
        for row in drawn:  # rising lengths: a batch's width is its newest row's
            if groups[-1] and (len(groups[-1]) + 1) * (len(row) + 2) > plan.batch:
                groups.append([])
            groups[-1].append(row)
        rng = np.random.default_rng(seed(plan.seed, "batches", draw))
        for i, k in enumerate(rng.permutation(len(groups))):
            yield (draw + 1 if i + 1 == len(groups) else -1), groups[k]


def masked(
    rows: list[list[int]], tokenizer: Any, share: float, *key: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Input ids, attention mask, which pieces are to be predicted, and the pieces before; each (R, L)."""
    special = set(tokenizer.all_special_ids)
    width = max(map(len, rows)) + 2
    ids = torch.full((len(rows), width), tokenizer.pad_token_id)
    for i, row in enumerate(rows):
        ids[i, : len(row) + 2] = torch.tensor([tokenizer.cls_token_id, *row, tokenizer.sep_token_id])
    drawn = torch.Generator().manual_seed(seed(*key))
    real = ids != tokenizer.pad_token_id
    text = real & ~torch.isin(ids, torch.tensor(sorted(special)))
    wanted = (torch.rand(ids.shape, generator=drawn) < share) & text
    fate = torch.rand(ids.shape, generator=drawn)
    shown = torch.where(wanted & (fate < 0.8), tokenizer.mask_token_id, ids)
    other = torch.randint(len(tokenizer), ids.shape, generator=drawn)
    shown = torch.where(wanted & (fate >= 0.9), other, shown)
    return shown, real.long(), wanted, ids
