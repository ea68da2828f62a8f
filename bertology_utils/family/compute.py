"""What a run computes, in multiplications: how budgets of unlike objectives are made equal (clark2020).

Matrix products alone are counted, of the forward pass; the backward pass has twice as many, so ratios are those of the
whole training. Padding is not counted, since budgets are in pieces.
"""

from __future__ import annotations

from .config import Config

SHARE = 4  # a generator of replaced pieces has one head for so many of the encoder's


def slots(length: int, rate: float) -> int:
    """Slots for predictions in a row of `length` pieces."""
    return max(1, round(length * rate))


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

    >>> from dataclasses import replace
    >>> from bertology_utils.family import tiers
    >>> base = tiers()["english"].group("base")[0].config
    >>> total(replace(base, tokens=2 * base.tokens)) / total(base)
    2.0
    """
    each = (p.share * per_piece(config, config.depth(p), p.length) for p in config.phases)
    return config.tokens * sum(each)


def parameters(config: Config) -> int:
    """Weights of a masked LM with its heads; those that are shared, or tied, count once.

    Layers that share their weights, or narrow embeddings, make an ALBERT: it has a matrix more, that widens the embeddings.

    >>> from dataclasses import replace
    >>> from bertology_utils.family import tiers
    >>> deep = tiers()["english"].group("base")[0].config
    >>> parameters(replace(deep, shared=True)) < parameters(deep)
    True
    """
    width, ffn, albert = config.hidden, config.ffn, bool(config.shared or config.embedding)
    table = config.embedding or width
    types = max(2, len(config.languages.split())) if config.language_ids else 2
    embeddings = (config.symbols + config.max_positions + types + 2) * table + albert * (table + 1) * width
    layer = 4 * (width + 1) * width + (width + 1) * ffn + (ffn + 1) * width + 4 * width
    pooler_and_pair = (width + 1) * width + 2 * (width + 1)
    head = (width + 1) * table + 2 * table + config.symbols
    return embeddings + (1 if config.shared else config.layers) * layer + pooler_and_pair + head
