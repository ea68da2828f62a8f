"""The weights of an exported model as the beginning of another run: training that goes on where no checkpoint is left.

A checkpoint holds the optimisers' moments and the place in the text, and goes on with the very next row. An exported model is
four times as small and holds neither: the run that begins with it warms up anew and draws rows of its own (by its seed).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from tokenizers import Tokenizer

from .config import Config, ConfigError
from .wordpiece import MODELS


def origin(config: Config) -> dict[str, Any] | None:
    """What a run's record says of the model that it begins with; None where it begins at random.

    Returns
    -------
    dict or None
        ``sha256`` of the weights, ``name`` of the configuration, ``files`` (SHA-256 of the texts), and ``tokens``, ``steps`` and
        ``seconds`` of the training, all that the model itself began with counted in.

    Raises
    ------
    ConfigError
        There is no such model.
    """
    if not config.start:
        return None
    folder = _folder(config)
    record = json.loads((folder / "training.json").read_text("utf-8"))
    before = record.get("start") or {}
    told: dict[str, Any] = {name: record[name] + before.get(name, 0) for name in ("tokens", "steps", "seconds")}
    texts = {file["sha256"] for file in record["files"]} | set(before.get("files", ()))
    name = record["config"]["name"]
    content = (folder / "model.safetensors").read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "name": name, "files": sorted(texts)} | told


def weights(config: Config, model: torch.nn.Module, tokenizer: Tokenizer) -> None:
    """Give `model` the weights of the model that the run begins with, in place; nothing where it begins at random.

    Raises
    ------
    ConfigError
        There is no such model, or it has another shape, other heads or other word pieces.
    """
    if not config.start:
        return
    folder = _folder(config)
    pieces = (folder / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    if pieces != [tokenizer.id_to_token(n) for n in range(tokenizer.get_vocab_size())]:
        raise ConfigError(
            f"configuration {config.name!r}: the model in {folder} has other word pieces (see `vocabulary`)"
        )
    kept = safetensors.torch.load_file(folder / "model.safetensors")
    try:
        found = model.load_state_dict({name: value.float() for name, value in kept.items()}, strict=False)
    except RuntimeError as error:  # names and both shapes of each weight
        why = str(error).partition("\n")[2].strip()[:200]
        raise ConfigError(f"configuration {config.name!r}: the model in {folder} has another shape ({why})") from None
    shared = {value.data_ptr() for name, value in model.state_dict().items() if name in kept}
    random = [name for name in found.missing_keys if model.state_dict()[name].data_ptr() not in shared]
    if random or found.unexpected_keys:
        other = ", ".join([*random, *found.unexpected_keys][:3])
        raise ConfigError(f"configuration {config.name!r}: the model in {folder} has other weights ({other} …)")


def _folder(config: Config) -> Path:
    for folder in (MODELS / config.start, Path(config.start)):
        if (folder / "training.json").is_file() and (folder / "model.safetensors").is_file():
            return folder
    raise ConfigError(
        f"configuration {config.name!r}: no exported model in {config.start!r}, a bundled model or a folder"
    )
