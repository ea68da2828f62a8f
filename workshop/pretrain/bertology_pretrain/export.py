"""A trained model as a Hugging Face folder in half precision, with the record of its training."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import safetensors.torch
import tokenizers
import torch
import transformers
from tokenizers import Tokenizer
from transformers import PreTrainedModel

from bertology_utils import files
from bertology_utils.family.config import Config
from bertology_utils.family.reading import from_plain

from . import wordpiece
from .checkpoint import CheckpointError, atomic
from .replaced import Detector

TIED = tuple(f"{head}decoder.{part}" for head in ("cls.predictions.", "predictions.") for part in ("weight", "bias"))
# stored once, under the other name


def write(
    model: PreTrainedModel | Detector,
    tokenizer: Tokenizer,
    config: Config,
    folder: Path,
    record: dict[str, Any],
    curves: list[dict[str, Any]] | None = None,
) -> Path:
    """Write the folder: weights, configuration, tokenizer, ``training.json`` and ``curves.jsonl``.

    Of a detector of replaced pieces the encoder alone is written, without heads.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # the weights are stored as fp16, to be computed with as fp32
    kind = "BertForPreTraining" if isinstance(model, Detector) else type(model).__name__
    settings = model.config.to_dict() | {"dtype": "float32", "architectures": [kind]}
    settings.pop("_attn_implementation", None)
    files.write(folder / "config.json", json.dumps(settings, indent=2, sort_keys=True) + "\n")
    wordpiece.save(tokenizer, config, folder)
    named = model.exported() if isinstance(model, Detector) else model.state_dict()
    weights = {k: v.detach().to("cpu", torch.float16).contiguous() for k, v in named.items() if k not in TIED}
    content = safetensors.torch.save(weights, metadata={"format": "pt"})
    atomic(folder / "model.safetensors", lambda stream: stream.write(content))
    files.write(folder / "training.json", json.dumps(record, indent=2) + "\n")
    if curves is not None:
        files.write(folder / "curves.jsonl", "".join(json.dumps(row) + "\n" for row in curves))
    return folder


def export(checkpoint: str | Path, folder: str | Path) -> Path:
    """Turn a checkpoint (the file, or the run's folder) into a Hugging Face folder.

    Parameters
    ----------
    checkpoint : str or Path
        ``OUT/checkpoint.pt`` or ``OUT``; ``tokenizer.json`` and ``log.jsonl`` are read beside it.
    folder : str or Path
        Where to write.

    Raises
    ------
    CheckpointError
        There is none.
    """
    from .grow import depth
    from .step import build

    path = Path(checkpoint)
    path = path / "checkpoint.pt" if path.is_dir() else path
    if not path.is_file():
        raise CheckpointError(f"no checkpoint {path}")
    state = torch.load(path, map_location="cpu", weights_only=True)
    config = from_plain(state["record"]["config"])
    model = build(config, depth(state["model"]))
    model.load_state_dict(state["model"])
    tokenizer = Tokenizer.from_file(str(path.parent / "tokenizer.json"))
    return write(model, tokenizer, config, Path(folder), state["record"], curves(path.parent / "log.jsonl"))


def curves(log: Path, points: int = 400) -> list[dict[str, Any]]:
    """The log thinned to about `points` lines; every line with a held-out figure stays."""
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.is_file() else []
    every = max(1, len(rows) // points)
    return [row for n, row in enumerate(rows) if any(key.startswith("heldout_") for key in row) or n % every == 0]


def versions() -> dict[str, str]:
    """What the run used."""
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
        "tokenizers": tokenizers.__version__,
    }
