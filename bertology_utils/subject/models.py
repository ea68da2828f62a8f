"""Subjects: the models under study, and their untrained twins.

A subject is a masked language model in eval mode with *eager* attention, whatever its source. Eager, because the
default (sdpa) returns an empty tuple for the attention maps with no more than a warning; eval, because a model made
from a configuration starts in train mode. Weights are read from safetensors only and remote code is never run.
"""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from ..settings import TWIN, Settings
from . import adapters, folders, hub, layout, relatives, suitable, variants
from .noise import plant
from .relatives import Found
from .suitable import ModelUnavailable, ModelUnsuitable

_UNSEEN = ("model_type", "num_attention_heads", "hidden_act", "layer_norm_eps")  # of a configuration, in the weights
_MLM_HEADS = ("cls.predictions.", "lm_head.", "predictions.", "vocab_", "generator_", "head.", "decoder.")
_HEADS = (*_MLM_HEADS, "cls.", "sop_classifier.", "discriminator_predictions.")


@dataclass(frozen=True, eq=False)
class Subject:
    """A model under study.

    Attributes
    ----------
    name : str
        As the user gave it; a twin's name ends in ``-untrained``.
    source : str
        ``bundled``, ``package@NAME==VERSION``, ``folder``, ``hub@REVISION``, any of them with ``+ adapter`` and its name
        where one was merged into the weights; or ``untrained``.
    model : PreTrainedModel
        With its pretraining heads, eval mode, eager attention, on `device`.
    has_mlm, has_nsp : bool
        Whether those heads were in the weights (a head that was not is random and is never used).
    drawn : frozenset of str
        Weights that the files lack: drawn at load, whose last bits follow the processor, and no part of `sha256`.
    """

    name: str
    source: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: torch.device
    has_mlm: bool = True
    has_nsp: bool = True
    is_twin: bool = False
    seed: int | None = field(default=None)
    noise: float = 0.0  # see `plant`
    drawn: frozenset[str] = frozenset()

    @property
    def config(self):
        return self.model.config

    @property
    def n_layers(self) -> int:
        """Transformer layers; hidden states have one more entry, the embeddings."""
        return self.config.num_hidden_layers

    @property
    def n_heads(self) -> int:
        return self.config.num_attention_heads

    @property
    def hidden_size(self) -> int:
        return self.config.hidden_size

    @cached_property
    def max_length(self) -> int:
        """Pieces a row may have, special tokens included."""
        limit = self.config.max_position_embeddings
        if self.config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
            limit -= self.config.pad_token_id + 1  # their positions start behind the padding id
        return min(limit, self.tokenizer.model_max_length)

    @property
    def base(self) -> PreTrainedModel:
        """The encoder without its heads."""
        return cast(Any, self.model).base_model

    @property
    def layers(self) -> torch.nn.ModuleList:
        """The transformer layers, index 0 first.

        Raises
        ------
        ModelUnsuitable
            If they cannot be reached into one by one.
        """
        return cast(torch.nn.ModuleList, self.part(self.base, "layers"))

    def part(self, module: torch.nn.Module, name: str) -> torch.nn.Module:
        """A part of the encoder or of a layer, by its name in `layout.Layout`.

        Raises
        ------
        ModelUnsuitable
            If the architecture has no such part of its own.
        """
        kind = self.config.model_type
        if (found := layout.part(kind, module, name)) is None:
            why = layout.LAYOUTS[kind].lacks
            raise ModelUnsuitable(f"this is not defined for {self.name}, a model of type {kind}: {why}")
        return found

    def exchange(self, module: torch.nn.Module, name: str, new: torch.nn.Module) -> None:
        """Put another module in the place of a part (`part`, with its errors)."""
        self.part(module, name)
        layout.exchange(self.config.model_type, module, name, new)

    def predict(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits (..., V) of the masked-LM head for hidden states (..., H) of the last layer."""
        model: Any = self.model
        hidden = hidden.to(model.dtype)  # states that were kept are in single precision, whatever the model computes in
        if not self.has_mlm:
            why = "; ELECTRA's discriminator fills no gaps" if hasattr(model, "discriminator_predictions") else ""
            raise ModelUnsuitable(f"{self.name} has no masked-language-model head in its weights{why}")
        if hasattr(model, "cls"):
            return model.cls.predictions(hidden)
        for head in ("lm_head", "predictions"):  # RoBERTa, ALBERT
            if hasattr(model, head):
                return getattr(model, head)(hidden)
        if hasattr(model, "head"):  # ModernBERT
            return model.decoder(model.head(hidden))
        if hasattr(model, "generator_lm_head"):
            return model.generator_lm_head(model.generator_predictions(hidden))
        if hasattr(model, "vocab_projector"):
            return model.vocab_projector(model.vocab_layer_norm(model.activation(model.vocab_transform(hidden))))
        raise ModelUnsuitable(f"{self.name} ({type(model).__name__}) has no masked-LM head that is known here")

    def twin(self, seed: int = 0) -> Subject:
        """The same configuration with seeded random weights: the control for what pretraining taught."""
        config = copy.deepcopy(self.config)
        if not getattr(config, "initializer_range", 1):
            raise ModelUnsuitable(f"{self.name} can have no untrained twin: its initializer_range is 0")
        with torch.random.fork_rng(devices=[]):  # the caller's random state is not ours to move
            torch.manual_seed(seed)
            model: Any = variants.apply(type(self.model)(config))
        model.set_attn_implementation("eager")
        model = model.to(device=self.device, dtype=self.model.dtype).eval().requires_grad_(False)
        twin = replace(
            self, name=self.name + TWIN, source="untrained", model=model, is_twin=True, seed=seed, drawn=frozenset()
        )
        return plant(twin, self.noise)

    @cached_property
    def sha256(self) -> str:
        """Hash of the weights that were read, the vocabulary and what of the configuration the weights do not show."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.model.state_dict().items()):
            if name in self.drawn:
                continue
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
        # not the whole configuration: its fields change with the releases of transformers, the model does not
        shape = {name: getattr(self.config, name, None) for name in _UNSEEN}
        if variant := getattr(self.config, variants.MARK, None):
            shape[variants.MARK] = variant
        digest.update(json.dumps([sorted(self.tokenizer.get_vocab().items()), shape]).encode())
        return digest.hexdigest()


def bundled() -> dict[str, Path]:
    """Models that come with the package: name -> folder."""
    root = Path(str(files("bertology_utils") / "assets" / "models"))
    return {p.name: p for p in sorted(root.iterdir()) if (p / "config.json").is_file()} if root.is_dir() else {}


def named(name: str, settings: Settings) -> str:
    """What a model's records are called, or its twin's: as it is, but for a relative that another stands in for.

    A folder is called by its whole path: ``./bert`` is another one in every working directory.
    """
    plain = name.removesuffix(TWIN)
    folder = Path(plain).expanduser()
    if plain not in bundled() and not relatives.known(plain) and not hub.could_be(plain) and folder.is_dir():
        return str(folder.resolve()) + name[len(plain) :]
    return relatives.named(plain, settings) + name[len(plain) :]


def load(name: str | None = None, settings: Settings | None = None) -> Subject:
    """Load a subject by name.

    Parameters
    ----------
    name : str, optional
        A bundled model, a relative (`relatives`: ``mpnet``, ``me5``, ...), a local folder (also of an adapter in peft's
        format), or a Hub name (``name`` or ``name@revision``); any of them with ``-untrained`` behind it for its twin. By
        default what the settings say.

    A name that could be the Hub's is the Hub's: a folder of the working directory is written ``./name``.

    Raises
    ------
    ModelUnavailable
        One line: neither bundled, nor a folder, and the Hub did not give it.
    ModelUnsuitable
        It is not what it seems, or not what experiments are defined for (`suitable`).
    """
    settings = settings or Settings.of()
    name = name or settings.model
    if name.endswith(TWIN):
        if not (plain := name.removesuffix(TWIN)) or plain.endswith(TWIN):
            raise ModelUnavailable(f"model {name!r}: the untrained twin of what? Write mini{TWIN}, say")
        return load(plain, settings).twin(settings.seed)
    return _read(_located(name, settings), settings)


def _located(name: str, settings: Settings) -> Found:
    """Where a model's files are; errors as of `load`."""
    if name in bundled():
        return Found(name, bundled()[name], "bundled")
    if relatives.known(name):
        return relatives.find(name, settings)
    folder = Path(name).expanduser()
    if hub.could_be(name):
        if folder.is_dir():
            hub.refuse_folder(name)
        where, revision = hub.fetch(name, ", ".join(bundled()) or "none is")
        return Found(name, where, f"hub@{revision}")
    if not folder.is_dir():
        raise ModelUnavailable(f"model {name!r}: there is no such folder")
    if not adapters.is_one(folder):
        return Found(name, folder, "folder")
    wanted = relatives.published_as(adapters.base_of(folder))
    base = _located(wanted, settings)
    if base.adapter is not None or base.name != wanted:
        why = "is an adapter's folder too" if base.adapter else f"is not here, only {base.name!r}, another network"
        raise ModelUnavailable(f"model {name!r}: its base {wanted!r} {why}")
    return Found(name, base.folder, f"{base.source} ({base.name}) + adapter folder", folder)


def _read(found: Found, settings: Settings) -> Subject:
    """A subject from its files, checked (`suitable`)."""
    name = found.name
    tokenizer, model, info = folders.read(name, found.folder, getattr(torch, settings.dtype), found.adapter)
    missing = set(info["missing_keys"])
    body = [key for key in missing if not key.startswith(_HEADS) and "position_ids" not in key]
    if [key for key in body if "pooler" not in key]:
        raise ModelUnavailable(
            f"model {name!r}: {len(body)} weights of the encoder are missing, first {sorted(body)[0]}"
        )
    suitable.left_over(name, info["unexpected_keys"])
    suitable.weights(name, model)
    nsp = hasattr(model, "cls") and hasattr(model.cls, "seq_relationship")
    heads = any(key.startswith(_MLM_HEADS) for key in model.state_dict())
    device = settings.torch_device()
    subject = Subject(
        name=name,
        source=found.source,
        model=model.to(device).eval().requires_grad_(False),
        tokenizer=tokenizer,
        device=device,
        has_mlm=heads and not any(key.startswith(_MLM_HEADS) for key in missing),
        has_nsp=nsp and not any("seq_relationship" in k or "pooler" in k for k in missing),
        drawn=frozenset(missing),
    )
    if model.config.model_type in suitable.TEXT_TO_TEXT:
        return subject
    suitable.trial(name, subject.base, tokenizer)
    return plant(subject, settings.noise)
