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
from transformers import AutoConfig, AutoModelForPreTraining, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from ..errors import Refusal
from ..settings import Settings

TWIN = "-untrained"

# Hub names whose figures the book speaks of, each at the commit it was looked at: a name alone may change its weights.
REVISIONS = {
    "bert-base-uncased": "86b5e0934494bd15c9632b12f734a8a67f723594",
    "bert-large-uncased": "6da4b6a26a1877e173fca3225479512db81a5e5b",
    "bert-base-cased": "cd5ef92a9fb2f889e972770a36d4ed042daf221e",
    "bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8",
    "roberta-base": "e2da8e2f811d1448a5b465c236feacd80ffbac7b",
}
_ORGANISATION = {"roberta-base": "FacebookAI"}
_UNSEEN = ("model_type", "num_attention_heads", "hidden_act", "layer_norm_eps")  # of a configuration, in the weights


class ModelUnavailable(Refusal):
    """A model could not be had; the message is one line that says what was tried and what to do."""


class ModelUnsuitable(Refusal):
    """A model lacks what an experiment asks of it (a masked-LM head, an NSP head)."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A model under study.

    Attributes
    ----------
    name : str
        As the user gave it; a twin's name ends in ``-untrained``.
    source : str
        ``bundled``, ``folder``, ``hub@REVISION`` or ``untrained``.
    model : PreTrainedModel
        With its pretraining heads, eval mode, eager attention, on `device`.
    has_mlm, has_nsp : bool
        Whether those heads were in the weights (a head that was not is random and is never used).
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
        if self.config.model_type in ("roberta", "xlm-roberta", "camembert"):
            limit -= self.config.pad_token_id + 1  # their positions start behind the padding id
        return min(limit, self.tokenizer.model_max_length)

    @property
    def base(self) -> PreTrainedModel:
        """The encoder without its heads."""
        return cast(Any, self.model).base_model

    @property
    def layers(self) -> torch.nn.ModuleList:
        """The transformer layers, index 0 first."""
        return cast(Any, self.base).encoder.layer

    def predict(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits (..., V) of the masked-LM head for hidden states (..., H) of the last layer."""
        if not self.has_mlm:
            raise ModelUnsuitable(f"{self.name} has no masked-language-model head in its weights")
        model: Any = self.model
        if hasattr(model, "cls"):
            return model.cls.predictions(hidden)
        if hasattr(model, "lm_head"):
            return model.lm_head(hidden)
        raise ModelUnsuitable(f"{self.name} ({type(self.model).__name__}) has no masked-LM head that is known here")

    def twin(self, seed: int = 0) -> Subject:
        """The same configuration with seeded random weights: the control for what pretraining taught."""
        config = copy.deepcopy(self.config)
        with torch.random.fork_rng(devices=[]):  # the caller's random state is not ours to move
            torch.manual_seed(seed)
            model = type(self.model)(config)
        model.set_attn_implementation("eager")
        model = cast(Any, model).to(device=self.device, dtype=self.model.dtype).eval().requires_grad_(False)
        twin = replace(self, name=self.name + TWIN, source="untrained", model=model, is_twin=True, seed=seed)
        return plant(twin, self.noise)

    @cached_property
    def sha256(self) -> str:
        """Hash of weights, vocabulary and what of the configuration the weights do not show."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
        # not the whole configuration: its fields change with the releases of transformers, the model does not
        shape = {name: getattr(self.config, name, None) for name in _UNSEEN}
        digest.update(json.dumps([sorted(self.tokenizer.get_vocab().items()), shape]).encode())
        return digest.hexdigest()


def bundled() -> dict[str, Path]:
    """Models that come with the package: name -> folder."""
    root = Path(str(files("bertology_utils") / "assets" / "models"))
    return {p.name: p for p in sorted(root.iterdir()) if (p / "config.json").is_file()} if root.is_dir() else {}


def load(name: str | None = None, settings: Settings | None = None) -> Subject:
    """Load a subject by name.

    Parameters
    ----------
    name : str, optional
        A bundled model, a local folder, or a Hub name (``name`` or ``name@revision``); any of them with
        ``-untrained`` behind it for its twin. By default what the settings say.

    Raises
    ------
    ModelUnavailable
        One line: neither bundled, nor a folder, and the Hub did not give it.
    """
    settings = settings or Settings.of()
    name = name or settings.model
    if name.endswith(TWIN):
        return load(name.removesuffix(TWIN), settings).twin(settings.seed)
    folder = bundled().get(name) or (Path(name).expanduser() if Path(name).expanduser().is_dir() else None)
    if folder is not None:
        source = "bundled" if name in bundled() else "folder"
        return _read(name if source == "bundled" else str(name), str(folder), source, None, settings)
    if name.startswith((".", "/", "~")):
        raise ModelUnavailable(f"model {name!r}: there is no such folder")
    repo, _, revision = name.partition("@")
    if "/" not in repo and repo in REVISIONS:
        repo, revision = f"{_ORGANISATION.get(repo, 'google-bert')}/{repo}", revision or REVISIONS[repo]
    revision = _resolve(name, repo, revision or None)
    return _read(name, repo, f"hub@{revision}", revision, settings)


def _resolve(name: str, repo: str, revision: str | None) -> str:
    """The commit of a Hub model: as given if it is in the local cache, else asked for once, with a short time-out.

    Asking first keeps an offline machine from retrying for half a minute, and turns `main` into a commit that the
    evidence can name.
    """
    from huggingface_hub import HfApi, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        if revision and isinstance(try_to_load_from_cache(repo, "config.json", revision=revision), str):
            return revision
        return str(HfApi().model_info(repo, revision=revision, timeout=10).sha)
    except (
        Exception
    ) as error:  # the client's own error types differ between its versions; every one means: not to be had
        answer = getattr(getattr(error, "response", None), "status_code", None)
        if answer in (401, 404) or isinstance(error, HFValidationError):
            why = "the Hub has no such model"  # to a stranger it says 401 of what is not there
        else:
            why = f"the Hub answered {answer}" if answer else "the Hub could not be reached"
        raise ModelUnavailable(
            f"model {name!r} is not bundled ({', '.join(bundled()) or 'none is'}), is no local folder, and {why}; "
            "connect to the network, or give a folder with config.json, tokenizer.json and model.safetensors"
        ) from error


def _read(name: str, where: str, source: str, revision: str | None, settings: Settings) -> Subject:
    options = {"revision": revision, "trust_remote_code": False}
    verbosity, bar = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()  # what it would warn of (missing heads) is checked below, and said
    transformers_logging.disable_progress_bar()
    try:
        config = copy.deepcopy(AutoConfig.from_pretrained(where, **options))
        tokenizer_options = {"add_prefix_space": True} if config.model_type in ("roberta", "camembert") else {}
        tokenizer = AutoTokenizer.from_pretrained(where, **options, **tokenizer_options)
        model, info = AutoModelForPreTraining.from_pretrained(
            where,
            config=config,
            use_safetensors=True,
            attn_implementation="eager",
            dtype=getattr(torch, settings.dtype),
            output_loading_info=True,
            **options,
        )
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelUnavailable(f"model {name!r} could not be read: {reason}") from error
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bar:
            transformers_logging.enable_progress_bar()
    if not getattr(tokenizer, "is_fast", False):
        raise ModelUnsuitable(f"model {name!r}: word alignment needs a fast tokenizer (tokenizer.json)")
    missing = set(info["missing_keys"])
    body = [key for key in missing if not key.startswith(("cls.", "lm_head.")) and "position_ids" not in key]
    if [key for key in body if "pooler" not in key]:
        raise ModelUnavailable(
            f"model {name!r}: {len(body)} weights of the encoder are missing, first {sorted(body)[0]}"
        )
    nsp = hasattr(model, "cls") and hasattr(model.cls, "seq_relationship")
    device = settings.torch_device()
    subject = Subject(
        name=name,
        source=source,
        model=model.to(device).eval().requires_grad_(False),
        tokenizer=tokenizer,
        device=device,
        has_mlm=not any("predictions" in k or k.startswith("lm_head") for k in missing),
        has_nsp=nsp and not any("seq_relationship" in k or "pooler" in k for k in missing),
    )
    return plant(subject, settings.noise)


def plant(subject: Subject, noise: float, seed: int = 0) -> Subject:
    """The subject, every hidden state of which is off by a seeded random share of about `noise` from now on.

    Two processors round differently, by some 1e-6 of a state: this is how one of them shows what that does to figures.
    """
    if not noise:
        return subject

    def disturb(module, args, output):
        hidden = output[0] if isinstance(output, tuple) else output
        generator = torch.Generator(hidden.device).manual_seed(seed)
        drawn = torch.randn(hidden.shape, generator=generator, dtype=hidden.dtype, device=hidden.device)
        moved = hidden * (1 + noise * drawn)
        return (moved, *output[1:]) if isinstance(output, tuple) else moved

    # prepended: the library records hidden states by forward hooks of its own
    for module in (subject.base.embeddings, *subject.layers):
        module.register_forward_hook(disturb, prepend=True)
    return replace(subject, noise=noise)
