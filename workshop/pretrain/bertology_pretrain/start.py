"""The weights of an exported model as the beginning of another run: training that goes on where no checkpoint is left.

A checkpoint holds the optimisers' moments and the place in the text, and goes on with the very next row. An exported model is
a fraction of its size and holds neither: the run that begins with it warms up anew and draws rows of its own, by its seed.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import safetensors.torch
import torch
from tokenizers import Tokenizer

from bertology_utils.family.config import Config, ConfigError
from bertology_utils.family.reading import sitting

from .export import TIED
from .wordpiece import listed, place


def origin(config: Config) -> dict[str, Any] | None:
    """What a run's record says of the model that it begins with; None where it begins at random.

    Returns
    -------
    dict or None
        ``sha256`` of the weights, ``name`` of the configuration they were trained by, ``files`` (SHA-256 of the texts),
        ``tokens`` (pieces seen), what that model had itself begun with counted in, and ``sittings``, a row per run up to there
        (`sitting`); ``average``, where it is one, says of what.

    Raises
    ------
    ConfigError
        There is no such model.
    """
    if not config.start:
        return None
    content = place(config, config.start, "model.safetensors").read_bytes()
    record = json.loads(place(config, config.start, "training.json").read_text("utf-8"))
    before = record.get("start", {"tokens": 0, "files": []})
    told = {"average": record["average"]} if "average" in record else {}
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "name": record["config"]["name"],
        "files": sorted({file["sha256"] for file in record["files"]} | set(before["files"])),
        "tokens": record["tokens"] + before["tokens"],
        "sittings": [*before.get("sittings", []), sitting(record)],
        **told,
    }


def weights(config: Config, model: torch.nn.Module, tokenizer: Tokenizer) -> None:
    """Give `model` the weights of the model that the run begins with, in place; nothing where it begins at random.

    Raises
    ------
    ConfigError
        There is no such model, or it has another shape, other heads or other word pieces.
    """
    if not config.start:
        return
    wrong = f"configuration {config.name!r}: the model {config.start!r} has other"
    pieces = listed(place(config, config.start, "vocab.txt"))
    if pieces != [tokenizer.id_to_token(number) for number in range(tokenizer.get_vocab_size())]:
        raise ConfigError(f"{wrong} word pieces: give them by `vocabulary`")
    kept = safetensors.torch.load_file(place(config, config.start, "model.safetensors"))
    try:
        found = model.load_state_dict({name: value.float() for name, value in kept.items()}, strict=False)
    except RuntimeError as error:  # names and both shapes of each weight
        raise ConfigError(f"{wrong} sizes ({str(error).partition(chr(10))[2].strip()[:200]})") from None
    if other := [*(name for name in found.missing_keys if name not in TIED), *found.unexpected_keys]:
        raise ConfigError(f"{wrong} weights ({', '.join(other[:3])})")
