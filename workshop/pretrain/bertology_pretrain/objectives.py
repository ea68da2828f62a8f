"""What a batch costs: the losses of masked pieces and of the second task (devlin2019, lan2020)."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F

from .masking import Batch


def encoded(bert: Any, ids: torch.Tensor, batch: Batch) -> Any:
    """The encoder's output for a batch's rows with these pieces, (R, L)."""
    # a mask of four dimensions is used as it is, so no step asks the device whether there is any padding; the plain
    # attention adds it to the scores, the fused one takes it as a choice
    length, mask = ids.shape[1], batch.mask
    if bert.config._attn_implementation == "eager":
        mask = torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, torch.finfo(torch.bfloat16).min)
    return bert(
        input_ids=ids,
        token_type_ids=batch.types,
        attention_mask=mask.expand(-1, 1, length, length),
        position_ids=batch.positions,
    )


def picked(hidden: torch.Tensor, slots: torch.Tensor) -> torch.Tensor:
    """The vectors at the slots, (R, P, H)."""
    return hidden.gather(1, slots[:, :, None].expand(-1, -1, hidden.shape[2]))


def logits(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores of the pieces at the slots alone, (R, P, V), and of the segments' relation, (R, 2); of a BERT or an ALBERT."""
    out = encoded(model.base_model, batch.ids, batch)
    if hasattr(model, "cls"):
        fills, relates = model.cls.predictions, model.cls.seq_relationship
    else:
        fills, relates = model.predictions, model.sop_classifier
    return fills(picked(out.last_hidden_state, batch.slots)), relates(out.pooler_output)


def piece_losses(scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Summed loss over the slots in use, in nats."""
    each = F.cross_entropy(scores.float().flatten(0, 1), batch.labels.flatten(), reduction="none")
    return (each * batch.weights.flatten()).sum()


def losses(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Summed MLM loss over the slots in use and summed loss of the second task over the rows, in nats."""
    pieces, relation = logits(model, batch)
    return piece_losses(pieces, batch), F.cross_entropy(relation.float(), batch.random, reduction="sum")
