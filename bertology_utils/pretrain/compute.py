"""What a run computes, in multiplications: how budgets of unlike objectives are made equal (clark2020).

Matrix products alone are counted, of the forward pass; the backward pass has twice as many, so ratios are those of the
whole training. Padding is not counted, since budgets are in pieces.
"""

from __future__ import annotations

import torch

from .config import Config
from .masking import slots
from .replaced import SHARE
from .step import build


def encoder(layers: int, width: int, ffn: int, length: int) -> float:
    """Multiplications of an encoder for one piece of a row of `length` pieces.

    >>> encoder(layers=1, width=10, ffn=40, length=5)
    1300
    """
    return layers * (4 * width**2 + 2 * width * ffn + 2 * length * width)


def per_piece(config: Config, layers: int, length: int) -> float:
    """Multiplications of a forward pass for one piece, with the heads of the objective.

    Parameters
    ----------
    config : Config
    layers, length : int
        Depth and pieces per row of a phase.
    """
    predicted = slots(length, config.mask_rate) / length

    def of(width: int, ffn: int) -> float:
        """An encoder with the head that fills gaps, (width, table) and (table, V), where there are gaps."""
        table = config.embedding or width
        widened = table * width if config.embedding else 0
        return widened + encoder(layers, width, ffn, length) + predicted * (width * table + table * config.symbols)

    if config.objective == "mlm":
        return of(config.hidden, config.ffn)
    small = max(1, config.heads // SHARE) * (config.hidden // config.heads)
    detector = encoder(layers, config.hidden, config.ffn, length) + config.hidden**2 + config.hidden
    return detector + of(small, max(1, config.ffn // SHARE))


def total(config: Config) -> float:
    """Multiplications of the forward passes of a whole run.

    >>> from bertology_utils.pretrain import load_config
    >>> total(load_config("tiny", tokens=80_000)) / total(load_config("tiny", tokens=40_000))
    2.0
    """
    each = (p.share * per_piece(config, config.depth(p), p.length) for p in config.phases)
    return config.tokens * sum(each)


def equal(config: Config, other: Config) -> int:
    """The pieces with which `config` computes as much as `other` does."""
    return round(config.tokens * total(other) / total(config))


def parameters(config: Config) -> int:
    """Weights of a run's model with its heads; those that are shared, or tied, count once.

    >>> from bertology_utils.pretrain import load_config
    >>> deep = {"layers": 4, "phases": [{"length": 32, "share": 1.0}]}
    >>> parameters(load_config("tiny", **deep, shared=True)) < parameters(load_config("tiny", **deep)) / 1.5
    True
    """
    with torch.random.fork_rng(devices=[]), torch.device("meta"):
        return sum(p.numel() for p in build(config).parameters())
