"""The model and one step of its training: losses, gradients, AdamW, LAMB or Muon (devlin2019)."""

from __future__ import annotations

import logging
from typing import Any

import torch
from transformers import BertConfig, BertForPreTraining

from bertology_utils.family.config import Config
from bertology_utils.subject import variants

from . import albert, replaced, wordpiece
from .frozen import Frozen
from .lamb import Lamb
from .masking import Batch, seed
from .memory import fitting
from .muon import Muon
from .objectives import logits, losses
from .parallel import World
from .precision import bf16

__all__ = ["Step", "build", "logits", "losses", "optimisers"]

log = logging.getLogger(__name__)


def build(config: Config, layers: int | None = None, device: str = "cpu") -> Any:
    """A model with seeded weights, in train mode; `layers` where it is not (yet) the configuration's depth.

    A `BertForPreTraining`, a `replaced.Detector` where the objective is that, or an ALBERT where layers share their
    weights or embeddings are two matrices. Attention is fused on a GPU. On a CPU plain
    matrix products are twice as fast: the fused kernel's backward pass is slow for short rows and small heads.
    """
    torch.manual_seed(config.seed)
    given: dict[str, Any] = {"attn_implementation": "sdpa" if device == "cuda" else "eager"}
    given |= variants.mark(config.attention, config.sublayers)
    settings = BertConfig(
        vocab_size=config.symbols,
        hidden_size=config.hidden,
        num_hidden_layers=layers or config.layers,
        num_attention_heads=config.heads,
        intermediate_size=config.ffn,
        max_position_embeddings=config.max_positions,
        type_vocab_size=max(2, len(config.languages.split())) if config.language_ids else 2,
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.attention_dropout,
        initializer_range=config.initializer_range,
        pad_token_id=wordpiece.PAD,
        **given,
    )
    if config.objective == "rtd":
        return replaced.Detector(settings).train()
    if config.shared or config.embedding:
        return albert.model(settings, config).train()
    model = BertForPreTraining(settings).train()
    variants.apply(model)
    return model


def optimisers(model: torch.nn.Module, config: Config, dtype: torch.dtype) -> list[torch.optim.Optimizer]:
    """AdamW or LAMB for all parameters, or Muon in `dtype` for the matrices of the encoder and AdamW for the rest.

    Biases and LayerNorm weights, the parameters of one dimension, do not decay.
    """
    named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    inner = {n for n, p in named if ".encoder." in n and p.ndim == 2} if config.optimiser == "muon" else set()
    groups: list[dict[str, Any]] = [
        {"params": [p for n, p in named if n not in inner and p.ndim > 1], "weight_decay": config.weight_decay},
        {"params": [p for n, p in named if p.ndim < 2], "weight_decay": 0.0},
    ]
    rate = config.learning_rate
    if config.optimiser == "lamb":
        return [Lamb([groups[0], groups[1] | {"adapt": False}], rate, config.betas, config.epsilon)]
    out: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(groups, lr=rate, betas=config.betas, eps=config.epsilon, fused=True)
    ]
    if inner:
        matrices = [p for n, p in named if n in inner]
        out.append(Muon(matrices, rate * config.muon_factor, config.weight_decay, steps=config.muon_steps, dtype=dtype))
    return out


class Step:
    """One optimiser step on a global batch of which this process has its share of the rows.

    Losses are divided by the *global* number of predictions and rows and gradients are added up, so the result does
    not depend on how many processes there are, nor on the size of the parts a process handles at a time.
    """

    def __init__(self, model: Any, config: Config, world: World) -> None:
        self.model, self.config, self.world = model, config, world
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.autocast = bf16(config, world.device)
        self.optimisers = optimisers(model, config, torch.bfloat16 if self.autocast else torch.float32)
        self.sums = torch.zeros(2, device=world.device)  # loss of MLM and of the pairs since the log last asked
        self.steps = 0
        self.frozen: Frozen | None = None  # what is put back after each step
        self.weight = replaced.WEIGHT if config.objective == "rtd" else float(config.pair != "none")
        self.part = fitting(config, world.device)  # positions handled at a time
        self._losses = self._plain = replaced.losses if config.objective == "rtd" else losses
        if config.compile and world.device.type == "cuda":
            # what was compiled holds a model that is gone (shallower, or another run's), and the compiler gives up on a
            # function that it has compiled for too many
            torch.compiler.reset()
            self._losses = torch.compile(self._plain, dynamic=False)

    def __call__(self, batch: Batch, rate: float, number: int) -> None:
        """Train on the global `batch`; `number` is the step's, for the seed of dropout."""
        if self.config.dropout or self.config.attention_dropout:
            torch.manual_seed(seed("dropout", self.config.seed, number, self.world.rank))
        for optimiser in self.optimisers:
            factor = self.config.muon_factor if isinstance(optimiser, Muon) else 1.0
            for group in optimiser.param_groups:
                group["lr"] = rate * factor
        counts = (batch.weights.sum(), self._second(batch))
        before = self.sums.clone()
        while not self._attempt(batch, *counts):
            self.sums.copy_(before)
        self.world.sum_gradients(self.parameters)
        if self.frozen:
            self.frozen.before()
        torch.nn.utils.clip_grad_norm_(self.parameters, self.config.clip)
        for optimiser in self.optimisers:
            optimiser.step()
        if self.frozen:
            self.frozen.after()
        self.steps += 1

    def _second(self, batch: Batch) -> torch.Tensor | int:
        """What the second loss is a mean over: the pieces, where replaced ones are detected, or else the rows."""
        return batch.mask.sum() if self.config.objective == "rtd" else len(batch.ids)

    def _attempt(self, batch: Batch, predictions: torch.Tensor, units: torch.Tensor | int) -> bool:
        """Compute the gradients; False where that has to be done again, in smaller parts or without the compiler."""
        try:
            self._gradients(batch, predictions, units)
        except torch.cuda.OutOfMemoryError:
            if self.part <= batch.ids.shape[1]:
                raise
            self.part //= 2
            log.warning("out of memory; batches are handled in parts of %d positions from now on", self.part)
        except Exception as error:  # the compiler's errors have no common ancestor
            if self._losses is self._plain:
                raise
            log.warning(
                "torch.compile failed (%s: %s); training goes on uncompiled",
                type(error).__name__,
                str(error).strip().partition("\n")[0][:200],
            )
            self._losses = self._plain
        else:
            return True
        return False

    def _gradients(self, batch: Batch, predictions: torch.Tensor, units: torch.Tensor | int) -> None:
        self.model.zero_grad(set_to_none=True)
        share = len(batch.ids) // self.world.size
        size = max(1, self.part // batch.ids.shape[1])
        begin = self.world.rank * share
        for start in range(begin, begin + share, size):
            part = batch.part(start, min(start + size, begin + share))
            with torch.autocast(self.world.device.type, torch.bfloat16, enabled=self.autocast):
                mlm, second = self._losses(self.model, part)
            mlm, second = mlm / predictions, second / units
            (mlm + self.weight * second if self.weight else mlm).backward()
            self.sums += torch.stack([mlm.detach(), second.detach()])

    def means(self) -> tuple[float, float]:
        """Mean losses of MLM and of the second task since the last call; the one place where the host waits."""
        total = self.world.sum(self.sums.clone()).tolist()
        steps, self.steps = max(self.steps, 1), 0
        self.sums.zero_()
        return total[0] / steps, total[1] / steps
