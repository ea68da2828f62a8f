"""How fast training is: at least four fifths of a bare PyTorch loop with the same arithmetic, side by side."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration
from torch.nn import functional as F
from transformers import BertForPreTraining

from bertology_pretrain.corpus import Corpus
from bertology_pretrain.loop import Run
from bertology_pretrain.parallel import World
from bertology_utils.family.config import Phase

pytestmark = pytest.mark.speed

LEAST = 0.8
STEPS, TURNS, WARM = 4, 7, 3  # steps per turn; both loops take turns, since a machine's speed changes under other work
SIZES = {
    "generated": {
        "layers": 2,
        "hidden": 128,
        "heads": 4,
        "ffn": 512,
        "vocab": 2048,
        "batch_tokens": 1024,
        "length": 32,
    },
    "english": {"layers": 4, "hidden": 192, "heads": 6, "ffn": 768, "vocab": 8192, "batch_tokens": 2048, "length": 64},
}  # of the family's tiers
OPTIONS: dict[str, dict[str, Any]] = {
    "pieces": {},
    "words": {"masking": "word"},
    "spans": {"masking": "span"},
    "static masks": {"static_masks": True},
    "no pairs": {"pair": "none"},
    "bf16": {"precision": "bf16"},
}


class Names:
    """A tokenizer's part in a run: a third of the pieces continue a word."""

    def __init__(self, size: int) -> None:
        self.size = size

    def get_vocab_size(self) -> int:
        return self.size

    def get_vocab(self) -> dict[str, int]:
        return {f"{'##' if n % 3 == 0 else ''}{n}": n for n in range(self.size)}

    def save(self, path: str) -> None:
        Path(path).write_text("{}", "utf-8")


def corpus(vocab: int, documents: int = 2000) -> Corpus:
    """Documents of ten sentences of 4 to 20 pieces."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(4, 21, documents * 10)
    return Corpus(
        tokens=rng.integers(5, vocab, lengths.sum()).astype(np.uint16),
        sentences=np.concatenate([[0], np.cumsum(lengths)]),
        documents=np.arange(documents + 1) * 10,
        groups=np.zeros(documents, np.int64),
        held=np.arange(documents) < 20,
        tokenizer=cast(Any, Names(vocab)),
        files=[{"name": "random.txt", "sha256": "0"}],
    )


class Bare:
    """The loop that one would write first: the batches lie there, masked; forward, loss, backward, clip, step."""

    def __init__(self, run: Run, batches: list) -> None:
        torch.manual_seed(0)
        self.model = BertForPreTraining(run.model.config).train()
        self.adam = torch.optim.AdamW(
            self.model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )
        self.pair, self.bf16, self.batches, self.at = run.config.pair != "none", run.step.autocast, batches, 0

    def advance(self) -> torch.Tensor:
        """One step; its loss."""
        b = self.batches[self.at % len(self.batches)]
        self.at += 1
        self.adam.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            out = self.model.bert(input_ids=b.ids, attention_mask=b.seen, token_type_ids=b.types)
            hidden = out.last_hidden_state[b.row, b.place]  # the masked pieces alone
            loss = F.cross_entropy(self.model.cls.predictions(hidden).float(), b.labels)
            if self.pair:
                loss = loss + F.cross_entropy(self.model.cls.seq_relationship(out.pooler_output).float(), b.random)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.adam.step()
        return loss.detach()


def plain(batch) -> SimpleNamespace:
    """A batch as the bare loop takes it."""
    row, slot = torch.nonzero(batch.weights, as_tuple=True)
    return SimpleNamespace(
        ids=batch.ids, types=batch.types, seen=batch.mask[:, 0, 0].long(), random=batch.random, row=row,
        place=batch.slots[row, slot], labels=batch.labels[row, slot],
    )  # fmt: skip


def seconds(work, times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        work()
    return time.process_time() - start


def begun(folder: Path, size: str, option: str = "pieces", steps: int = STEPS) -> tuple[Run, list]:
    """A run at its beginning, and the batches of its first steps as the bare loop takes them."""
    shape = dict(SIZES[size])
    phase = Phase(length=shape.pop("length"), share=1.0)
    config = configuration(
        **shape, phases=(phase,), max_positions=phase.length, tokens=10**9, eval_length=32, **OPTIONS[option]
    )
    run, same = (Run(config, corpus(config.vocab), folder, World(0, 1, torch.device("cpu")), False) for _ in range(2))
    batches = []
    for same.number in range(steps):
        planned = torch.from_numpy(same.stream.batch(phase.length, config.rows(phase)))
        batches.append(plain(same._masked(planned, phase.length)))
    return run, batches


@pytest.mark.parametrize(("size", "option"), [*(("generated", option) for option in OPTIONS), ("english", "pieces")])
def test_training_is_nearly_as_fast_as_a_bare_loop(tmp_path, size, option):
    """The median over turns of the bare loop's time over ours: planning, masking and the log are ours alone."""
    run, batches = begun(tmp_path, size, option)
    bare = Bare(run, batches)
    seconds(run.advance, WARM), seconds(bare.advance, WARM)
    ratios, pace = [], []
    for _ in range(TURNS):
        ours, theirs = seconds(run.advance, STEPS), seconds(bare.advance, STEPS)
        ratios.append(theirs / ours)
        pace.append(STEPS * run.config.batch_tokens / ours)
    print(
        f"{size:10} {option:13} {median(ratios):6.1%} of a bare loop [{min(ratios):.0%} to {max(ratios):.0%}]; "
        f"{median(pace):8,.0f} positions per second"
    )
    assert median(ratios) >= LEAST
