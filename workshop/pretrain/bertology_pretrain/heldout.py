"""Loss and accuracy on the held-out documents, always on the same rows under the same masks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from transformers import BertForPreTraining

from bertology_utils.family.config import Config

from . import instances, masking, replaced
from .corpus import Corpus, CorpusError
from .languages import Layout
from .masking import Batch
from .objectives import logits

PART = 16_384  # positions evaluated at a time


class HeldOut:
    """The held-out rows, masked once and for all.

    Parameters
    ----------
    corpus : Corpus
    tokens : (T,) int32
        ``corpus.tokens`` on the device.
    config : Config
        ``eval_length``, ``eval_mask_rate``, ``final_predictions``, ``mask_symbol``, ``pair``, ``seed``.

    Raises
    ------
    CorpusError
        Fewer than two documents are held out.
    """

    def __init__(self, corpus: Corpus, tokens: torch.Tensor, config: Config) -> None:
        documents = np.flatnonzero(corpus.held)
        if config.by_file:  # a file with one held-out document offers no other for its random pairs
            groups = corpus.groups[documents]
            documents = documents[np.bincount(groups, minlength=len(corpus.files))[groups] > 1]
        if len(documents) < 2:
            raise CorpusError(
                f"{len(documents)} of {len(corpus.held)} documents held out: raise held_out above "
                f"{config.held_out} or give more documents"
            )
        plan = instances.plan(corpus, documents, config.eval_length, config, instances.generator(config.seed, 10**9))
        rows = torch.from_numpy(plan[: 1 + config.final_predictions]).to(tokens.device)
        ids, types, words = masking.assemble(tokens, rows, config.eval_length)
        types, positions = Layout(config, corpus, tokens.device)(rows, types)
        rng = torch.Generator(tokens.device).manual_seed(masking.seed("held out", config.seed))
        # single pieces, whatever the training hides: kinds of masks are compared at the same places
        masked = masking.mask(
            ids,
            types,
            words,
            rows[:, instances.RANDOM],
            config.eval_mask_rate,
            config.symbols,
            rng,
            symbol=config.mask_symbol,
        )
        self.batch = replace(masked, positions=positions)
        self.config = config
        if config.objective == "rtd":
            self.unigram = frequencies(corpus, config.symbols).to(tokens.device)

    @torch.no_grad()
    def __call__(self, model: Any, predictions: int, autocast: bool) -> dict[str, float]:
        """Evaluate on the first rows that hold `predictions` predictions, or on all.

        Returns
        -------
        dict
            ``heldout_mlm`` (nats a prediction), ``heldout_top1``, ``heldout_predictions``; with pairs also
            ``heldout_nsp`` or ``heldout_sop`` (accuracy), ``heldout_random`` (share of random or swapped pairs) and
            ``heldout_rows``. Of a run that detects replaced pieces: `replaced.recorded`.
        """
        reached = self.batch.weights.sum(1).cumsum(0)
        count = min(int((reached < predictions).sum()) + 1, len(reached))
        detect = self.config.objective == "rtd"
        sums = torch.zeros(8 if detect else 5, dtype=torch.float64, device=reached.device)
        model.eval()
        size = max(1, PART // self.config.eval_length)
        for start in range(0, count, size):
            with torch.autocast(reached.device.type, torch.bfloat16, enabled=autocast):
                part = self.batch.part(start, min(start + size, count))
                sums += replaced.figures(model, part, self.unigram) if detect else self._part(model, part)
        model.train()
        if detect:
            return replaced.recorded(sums.tolist())
        loss, right, n, relation, random = sums.tolist()
        out = {"heldout_mlm": loss / n, "heldout_top1": right / n, "heldout_predictions": int(n)}
        if self.config.pair != "none":
            out |= {
                f"heldout_{self.config.pair}": relation / count,
                "heldout_random": random / count,
                "heldout_rows": count,
            }
        return out

    @staticmethod
    def _part(model: BertForPreTraining, batch: Batch) -> torch.Tensor:
        pieces, relation = logits(model, batch)
        pieces, labels, weights = pieces.float().flatten(0, 1), batch.labels.flatten(), batch.weights.flatten()
        loss = F.cross_entropy(pieces, labels, reduction="none")
        right = (pieces.argmax(1) == labels).float()
        return torch.stack(
            [
                (loss * weights).sum(),
                (right * weights).sum(),
                weights.sum(),
                (relation.argmax(1) == batch.random).sum(),
                batch.random.sum(),
            ]
        ).double()


def frequencies(corpus: Corpus, vocab: int) -> torch.Tensor:
    """Loss of each piece under the frequencies of the training text, counts plus one, (V,) float32, in nats."""
    held = np.repeat(np.repeat(corpus.held, np.diff(corpus.documents)), np.diff(corpus.sentences))  # (T,)
    counts = np.bincount(corpus.tokens[~held], minlength=vocab) + 1.0
    return torch.from_numpy(-np.log(counts / counts.sum())).float()
