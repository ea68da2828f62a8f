"""What a configuration must be: refused in one line, before anything is read or trained."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

from bertology_utils.family.config import FIRST_PIECE, Config, ConfigError

KINDS: dict[str, Any] = {"int": int, "float": (int, float), "bool": bool, "str": str}  # by their annotations
CHOICES = {
    "objective": ("mlm", "rtd"),
    "precision": ("auto", "bf16", "fp32"),
    "optimiser": ("adamw", "lamb", "muon"),
    "schedule": ("linear", "stable"),
    "pair": ("nsp", "sop", "none"),
    "masking": ("piece", "word", "span", "entity", "verb"),
    "mask_symbol": ("mask", "unk", "random"),
    "attention": ("learned", "preset", "uniform"),
    "beside": ("nothing", "another", "translation", "either"),
    "body": ("learned", "frozen", "random"),
    "order": ("shuffled", "rare last", "rare last, then mixed", "phrases first", "phrases first, then mixed"),
}


def checked(config: Config) -> Config:
    """The configuration, unless it contradicts itself.

    Raises
    ------
    ConfigError
        Naming the field.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from bertology_utils.family import tiers
    >>> checked(replace(tiers()["english"].group("base")[0].config, mask_symbol="blank"))
    Traceback (most recent call last):
    ...
    bertology_utils.family.config.ConfigError: configuration 'english-base-0': mask_symbol 'blank' is none of mask, unk, random
    """
    for look in (
        _kinds,
        _shape,
        _phases,
        _shares,
        _sublayers,
        _languages,
        _albert,
    ):  # in this order: sizes are compared once they are numbers
        if problem := look(config):
            raise ConfigError(f"configuration {config.name!r}: {problem}")
    return config


def _kinds(config: Config) -> str:
    """Values of another type than the field's, or of none of its choices."""
    for f in fields(config):
        value, kind = getattr(config, f.name), KINDS.get(str(f.type))
        if kind and not (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
            hint = " (YAML reads 1e-3 as text: write 1.0e-3)" if isinstance(value, str) else ""
            return f"{f.name} {value!r} is no {f.type}{hint}"
    for name, known in CHOICES.items():
        if (value := getattr(config, name)) not in known:
            return f"{name} {value!r} is none of {', '.join(known)}"
    kinds = {"blank", "line", "verse"}
    if not {kind for _, kind in config.layouts} <= kinds:
        return f"layouts {config.layouts} know only {sorted(kinds)}"
    return ""


def _shape(config: Config) -> str:
    for name in ("layers", "hidden", "heads", "ffn", "tokens", "learning_rate", "log_steps"):
        if getattr(config, name) <= 0:
            return f"{name} {getattr(config, name)} is not above 0"
    if config.micro_tokens < 0:
        return f"micro_tokens {config.micro_tokens} is below 0"
    if config.hidden % config.heads:
        return f"hidden {config.hidden} is no multiple of heads {config.heads}"
    if config.eval_length > config.max_positions:
        return f"eval_length {config.eval_length} > {config.max_positions}"
    if not config.vocab > FIRST_PIECE or config.symbols > 65_536:
        return f"vocab {config.vocab} does not fit 16 bits"
    return ""


def _phases(config: Config) -> str:
    if not config.phases:
        return "no phases"
    if abs(sum(p.share for p in config.phases) - 1) >= 1e-6:
        return f"the phases' shares do not add up to 1: {config.phases}"
    for p in config.phases:
        if not 8 <= p.length <= config.max_positions:
            return f"length {p.length} is outside 8..{config.max_positions}"
        if config.rows(p) < 1:
            return f"batch_tokens is smaller than one row of {p.length}"
    depths = [config.depth(p) for p in config.phases]
    if not all(n > 0 and m % n == 0 for n, m in pairwise(depths)) or depths[-1] != config.layers:
        return f"layers {depths} of the phases do not stack to {config.layers}"
    return ""


def _shares(config: Config) -> str:
    if config.words and not config.generated:
        return f"words {config.words} is for generated text"
    if not (0 < config.mask_rate < 1 and 0 <= config.held_out < 1):
        return "mask_rate or held_out is no share"
    if not 0 < config.eval_mask_rate < 1:
        return "eval_mask_rate is no share"
    if not 0 < config.decay <= 1 - config.warmup:
        return f"decay {config.decay} is no share that warmup {config.warmup} leaves"
    if config.muon_factor <= 0 or config.muon_steps <= 0:
        return "muon_factor or muon_steps is not above 0"
    return ""


def _sublayers(config: Config) -> str:
    order = config.sublayers
    if config.objective == "rtd" and (config.pair != "none" or order or config.attention != "learned"):
        return "objective 'rtd' is for pair 'none', learned attention and sublayers in BERT's order"
    if not order:
        return ""
    if set(order) != {"s", "f"} or not order.count("s") == order.count("f") == config.layers:
        return f"sublayers {order!r} are not s and f, {config.layers} of each"
    if {config.depth(p) for p in config.phases} != {config.layers}:
        return f"sublayers {order!r} need all layers from the start: a shallower model is not stacked to them"
    return ""


def _languages(config: Config) -> str:
    names = config.languages.split()
    asked = [k for k in ("own_pieces", "inverted", "reset_positions") if getattr(config, k)]
    asked += [k for k, none in (("beside", "nothing"), ("body", "learned")) if getattr(config, k) != none]
    if asked and len(names) != 2:
        return f"{asked[0]} is for two languages, not for {config.languages!r}"
    if (names or config.language_ids) and config.pair != "none":
        return f"languages are for pair 'none', not for {config.pair!r}"
    if not (0 < config.part <= 1 and 0 <= config.own_pieces <= 1):
        return f"part {config.part} or own_pieces {config.own_pieces} is no share"
    if config.beside == "nothing" and config.reset_positions:
        return "reset_positions is for rows with something beside a sentence"
    if config.beside != "nothing" and config.language_ids:
        return "language_ids is for rows of one language"
    if config.body != "learned" and (config.own_pieces < 1 or len(config.phases) != 2 or config.beside != "nothing"):
        return f"body {config.body!r} is for two phases and a second language with pieces of its own"
    return ""


def _albert(config: Config) -> str:
    if config.embedding < 0 or any(not b.isdigit() or not 2 <= int(b) <= 8 for b in config.bits.split()):
        return f"embedding {config.embedding} is below 0, or bits {config.bits!r} are not numbers from 2 to 8"
    if not (config.shared or config.embedding):
        return ""
    if config.objective != "mlm" or config.attention != "learned" or config.sublayers or config.languages:
        return "shared layers and narrow embeddings are for objective 'mlm', BERT's own layers and one language"
    if {config.depth(p) for p in config.phases} != {config.layers}:
        return "shared layers are there from the start: a shallower model is not stacked to them"
    return ""
