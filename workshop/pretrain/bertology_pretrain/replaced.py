"""Replaced-token detection: a small generator fills the gaps, the encoder tells at every piece whether it did (clark2020).

The generator is as deep as the encoder and a quarter as wide, and learns from masked pieces; no gradient reaches it from
the detector. Its embeddings are its own, while in the study the two share them and gain by it: so the detector's embeddings
learn here from the pieces it reads alone. A piece that it fills in rightly is no replacement. What is exported is the
encoder of the detector: it has learnt to fill no gaps, so it has no held-out MLM loss and no MLM head.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from transformers import BertConfig, BertForMaskedLM, BertModel

from bertology_utils.family.compute import SHARE

from .masking import Batch
from .objectives import encoded, picked, piece_losses

WEIGHT = 50.0  # of the detector's loss, as in the study: per piece it is small beside the generator's


class Detector(nn.Module):
    """The encoder with its detecting head, and the generator beside it.

    Attributes
    ----------
    bert : BertModel
        The encoder, without a pooler.
    head : nn.Sequential
        From its states (R, L, H) to one score per piece: above 0 where it was replaced.
    generator : BertForMaskedLM
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)
        width = config.hidden_size
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        for layer in self.head:
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=config.initializer_range)
                nn.init.zeros_(layer.bias)
        self.generator = BertForMaskedLM(smaller(config))

    @property
    def config(self) -> BertConfig:
        """The encoder's."""
        return self.bert.config

    def exported(self) -> dict[str, torch.Tensor]:
        """The encoder's weights under the names that BERT's checkpoints have."""
        return {f"bert.{name}": value for name, value in self.bert.state_dict().items()}


def smaller(config: BertConfig) -> BertConfig:
    """The generator's configuration: heads of the same size, a quarter of them.

    >>> small = smaller(BertConfig(hidden_size=128, num_attention_heads=8, intermediate_size=512))
    >>> small.hidden_size, small.num_attention_heads, small.intermediate_size
    (32, 2, 128)
    """
    out = copy.deepcopy(config)
    out.num_attention_heads = max(1, config.num_attention_heads // SHARE)
    out.hidden_size = out.num_attention_heads * (config.hidden_size // config.num_attention_heads)
    out.intermediate_size = max(1, config.intermediate_size // SHARE)
    return out


def originals(batch: Batch) -> torch.Tensor:
    """The pieces of a batch before masking, (R, L)."""
    shown = batch.ids.gather(1, batch.slots)
    return batch.ids.scatter(1, batch.slots, torch.where(batch.weights > 0, batch.labels, shown))


def sampled(scores: torch.Tensor, draw: torch.Tensor) -> torch.Tensor:
    """One piece per slot from the generator's distribution, (R, P), by the uniform draws that belong to the batch.

    >>> scores = torch.tensor([[[0.25, 0.25, 0.5]]]).log()
    >>> [int(sampled(scores, torch.tensor([[u]]))) for u in (0.1, 0.3, 0.6, 0.99)]
    [0, 1, 2, 2]
    """
    total = scores.detach().float().softmax(-1).cumsum(-1)  # (R, P, V)
    return torch.searchsorted(total, (draw[..., None] * total[..., -1:])).squeeze(-1).clamp(max=scores.shape[-1] - 1)


def scores(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The generator's scores (R, P, V), the detector's (R, L), and which pieces are replaced, (R, L) bool."""
    assert batch.draw is not None, "a generator's pieces are sampled by the draws of the batch"
    generator = model.generator
    out = generator.cls(picked(encoded(generator.bert, batch.ids, batch).last_hidden_state, batch.slots))
    before = originals(batch)
    filled = torch.where(batch.weights > 0, sampled(out, batch.draw), before.gather(1, batch.slots))
    shown = before.scatter(1, batch.slots, filled)
    found = model.head(encoded(model.bert, shown, batch).last_hidden_state).squeeze(-1)
    return out, found, shown != before


def losses(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """The generator's summed loss over the slots in use, and the detector's over all pieces but padding, in nats."""
    pieces, found, replaced = scores(model, batch)
    each = F.binary_cross_entropy_with_logits(found.float(), replaced.float(), reduction="none")
    return piece_losses(pieces, batch), (each * batch.mask[:, 0, 0]).sum()


def figures(model: Any, batch: Batch, unigram: torch.Tensor) -> torch.Tensor:
    """Sums over a batch, (8,).

    Parameters
    ----------
    model : Detector
    batch : Batch
    unigram : (V,) float
        Loss of each piece under the frequencies of the training text, in nats.

    Returns
    -------
    (8,) float64
        Both losses, slots, pieces, replaced ones, those of either kind told rightly, and the loss of the frequencies.
    """
    pieces, found, replaced = scores(model, batch)
    each = F.binary_cross_entropy_with_logits(found.float(), replaced.float(), reduction="none")
    present, right = batch.mask[:, 0, 0], (found > 0) == replaced
    sums = [
        piece_losses(pieces, batch),
        (each * present).sum(),
        batch.weights.sum(),
        present.sum(),
        (replaced & present).sum(),
        (right & replaced & present).sum(),
        (right & ~replaced & present).sum(),
        (unigram[batch.labels] * batch.weights).sum(),
    ]
    return torch.stack([s.double() for s in sums])


def recorded(sums: list[float]) -> dict[str, float]:
    """What a record holds of a run in place of a held-out MLM loss, from the sums of `figures`.

    ``heldout_rtd`` is the detector's loss in nats per piece, ``heldout_detected`` the mean of the shares of replaced and of
    original pieces that it tells rightly (0.5 is chance), ``heldout_replaced`` the share of replaced pieces.
    ``heldout_generator_mlm`` is the generator's loss, which says nothing of the exported encoder, and ``heldout_unigram``
    that of the pieces' frequencies at the same places: a generator no better than those replaces at random.
    """
    mlm, rtd, slots, pieces, replaced, hits, passes, unigram = sums
    kept = pieces - replaced
    return {
        "heldout_rtd": rtd / pieces,
        "heldout_detected": (hits / max(replaced, 1) + passes / max(kept, 1)) / 2,
        "heldout_replaced": replaced / pieces,
        "heldout_generator_mlm": mlm / slots,
        "heldout_unigram": unigram / slots,
        "heldout_predictions": int(slots),
    }
