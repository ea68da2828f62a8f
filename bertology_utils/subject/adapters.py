"""Adapters in peft's format: what a network was taught beside its own weights, merged into them.

The mask adapters that are bundled give networks that were tuned on pairs of sentences their filling of masks back: low-rank
maps beside the linear maps of each layer, all biases, and a head. Anybody's adapter in a folder is read the same way.
"""

from __future__ import annotations

import json
import warnings
from importlib.resources import files
from pathlib import Path

import torch
from safetensors import safe_open
from transformers import PreTrainedModel

from .suitable import ModelUnavailable

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


def bundled() -> dict[str, Path]:
    """Adapters that come with the package: name of the relative that they make -> folder."""
    root = Path(str(files("bertology_utils") / "assets" / "adapters"))
    return {p.name: p for p in sorted(root.iterdir()) if is_one(p)} if root.is_dir() else {}


def is_one(folder: Path) -> bool:
    """Whether a folder holds an adapter."""
    return (folder / CONFIG).is_file()


def base_of(folder: Path) -> str:
    """What an adapter says it is to be merged into: a name, or a folder (relative to its own, or to the working directory).

    Raises
    ------
    ModelUnavailable
        It says nothing, its configuration cannot be read, or it has no safetensors.
    """
    try:
        base = json.loads((folder / CONFIG).read_text("utf-8"))["base_model_name_or_path"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ModelUnavailable(f"adapter {folder}: {CONFIG} names no base_model_name_or_path") from error
    if not isinstance(base, str) or not base:
        raise ModelUnavailable(f"adapter {folder}: its base_model_name_or_path is {base!r}, which names no network")
    beside = folder / base
    return str(beside) if (beside / "config.json").is_file() else base


def merged(name: str, model: PreTrainedModel, folder: Path) -> tuple[PreTrainedModel, set[str]]:
    """The network with an adapter merged into its weights, and the names of those that the adapter holds whole.

    Parameters
    ----------
    name : str
        The subject's, for messages.
    model : PreTrainedModel
        In float32, whatever it is to compute in: a sum of rounded weights is not the sum. It is changed.

    Raises
    ------
    ModelUnavailable
        The adapter cannot be read, or is another network's.
    """
    if not (folder / WEIGHTS).is_file():  # peft would look for pickled ones
        raise ModelUnavailable(f"model {name!r}: no {WEIGHTS} in the adapter's folder {folder}")
    try:
        # late: it takes a while, and few models have an adapter
        from peft import PeftModel

        # peft asks transformers for what has another name by now
        with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
            warnings.simplefilter("ignore")
            adapted = PeftModel.from_pretrained(model, str(folder), local_files_only=True)
            over = adapted.load_adapter(str(folder), "default", local_files_only=True)  # again, for what was left over
        with safe_open(folder / WEIGHTS, "pt") as held:
            whole = {k.removeprefix("base_model.model.") for k in held.keys() if ".lora_" not in k}  # noqa: SIM118
        # a module that is saved whole has its bias twice more, under the names that peft wraps it in
        lost = [k for k in (*over.missing_keys, *over.unexpected_keys) if ".modules_to_save." not in k]
        if lost:
            raise ModelUnavailable(f"model {name!r}: the adapter {folder} does not fit its base, first {lost[0]}")
        plain = adapted.merge_and_unload()
    except ModelUnavailable:
        raise
    except Exception as error:  # whatever is wrong with an adapter, peft has another type of error for it
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelUnavailable(f"model {name!r}: the adapter {folder} does not fit its base: {why}") from error
    return plain, {key.replace(".base_layer.", ".") for key in whole}
