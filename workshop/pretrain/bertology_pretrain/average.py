"""The average of several models' weights as another model, with which a run can begin.

Models that go back to one start may be averaged to a network that has something of each, or to one that is worse than both: of
four averages of `mini`'s sittings one kept what had been learnt of agreement, three lost much of it. It is to be measured
like any model.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from bertology_utils import files
from bertology_utils.family.config import ConfigError

from .checkpoint import atomic

WEIGHTS, RECORD, CONFIG, PIECES, CURVES = (
    "model.safetensors",
    "training.json",
    "config.json",
    "vocab.txt",
    "curves.jsonl",
)


def average(shares: Mapping[str | Path, float], folder: str | Path) -> Path:
    """Average exported models, weight by weight.

    Parameters
    ----------
    shares : mapping of folder to float
        How much of each model; they sum to 1. Tokenizer and record are those of the model with the largest share.
    folder : str or Path
        Where to write the average: as an exported model, whose ``training.json`` says under ``average`` what it is made of and
        has no held-out figures.

    Returns
    -------
    Path
        `folder`.

    Raises
    ------
    ConfigError
        The shares are not positive or do not sum to 1, a model is not there, or one is built in another way or has other word
        pieces.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from bertology_pretrain.wordpiece import MODELS
    >>> average({MODELS / "toy": 0.7}, mkdtemp())
    Traceback (most recent call last):
    bertology_utils.family.config.ConfigError: the shares of an average are positive and sum to 1: 0.7
    """
    if not (math.isclose(sum(shares.values()), 1.0) and all(share > 0 for share in shares.values())):
        raise ConfigError(f"the shares of an average are positive and sum to 1: {', '.join(map(str, shares.values()))}")
    parts = {Path(path): share for path, share in sorted(shares.items(), key=lambda s: -s[1])}
    first, folder = next(iter(parts)), Path(folder)
    for path in parts:
        if missing := [name for name in (WEIGHTS, RECORD, CONFIG, PIECES) if not (path / name).is_file()]:
            raise ConfigError(f"{path} is no exported model: it has no {missing[0]}")
        if _built(path) != _built(first):
            raise ConfigError(f"{path} is built in another way than {first}, or has other word pieces")
    contents = {path: (path / WEIGHTS).read_bytes() for path in parts}
    kept = {path: safetensors.torch.load(content) for path, content in contents.items()}
    summed = {
        name: reduce(torch.add, [share * kept[path][name].float() for path, share in parts.items()]).to(value.dtype)
        for name, value in kept[first].items()
    }
    records = {path: json.loads((path / RECORD).read_text("utf-8")) for path in parts}
    record = {k: v for k, v in records[first].items() if k != "heldout"} | {  # nobody has measured the average
        "files": list({file["sha256"]: file for r in records.values() for file in r["files"]}.values()),
        "average": [
            {
                "name": records[path]["config"]["name"],
                "share": share,
                "sha256": hashlib.sha256(contents[path]).hexdigest(),
            }
            for path, share in parts.items()
        ],
    }
    shutil.copytree(first, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(CURVES))
    files.write(folder / RECORD, json.dumps(record, indent=2) + "\n")
    content = safetensors.torch.save(summed, metadata={"format": "pt"})
    atomic(folder / WEIGHTS, lambda stream: stream.write(content))
    return folder


def _built(folder: Path) -> tuple[dict[str, Any], str]:
    """What averaged models must have in common: the configuration, whatever version wrote it, and the word pieces."""
    config = json.loads((folder / CONFIG).read_text("utf-8"))
    config.pop("transformers_version", None)
    return config, (folder / PIECES).read_text("utf-8")
