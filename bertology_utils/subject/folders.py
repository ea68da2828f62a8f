"""A model read from its folder by transformers (wolf2020), quietly: tokenizer, network with its heads, what was not said."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from tokenizers import pre_tokenizers
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoModelForPreTraining,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging as transformers_logging

from . import adapters, suitable, variants
from .suitable import ModelUnavailable, ModelUnsuitable

_POINTER = b"version https://git-lfs"
_TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model")


@contextmanager
def _quiet() -> Iterator[None]:
    """What the library would warn of (missing heads) is checked, and what it would report at length is one line of ours."""
    verbosity, bar = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity(transformers_logging.CRITICAL)
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bar:
            transformers_logging.enable_progress_bar()


def byte_levels(tokenizer: PreTrainedTokenizerBase) -> list[pre_tokenizers.ByteLevel]:
    """The byte-level parts of a tokenizer's pre-tokenizer.

    Words that are handed over one by one have no space between them. A byte-level vocabulary holds the pieces of running
    text with the space before them, so each such part must put one there; as published, most do not.
    """
    whole = getattr(getattr(tokenizer, "backend_tokenizer", None), "pre_tokenizer", None)
    parts = list(cast(Any, whole)) if isinstance(whole, pre_tokenizers.Sequence) else [whole]
    return [part for part in parts if isinstance(part, pre_tokenizers.ByteLevel)]


@contextmanager
def spaces_as_written(tokenizer: PreTrainedTokenizerBase) -> Iterator[bool]:
    """No space is put before what follows a special symbol in a text; gives whether the vocabulary is byte-level."""
    parts = byte_levels(tokenizer)
    for part in parts:
        part.add_prefix_space = False
    try:
        yield bool(parts)
    finally:
        for part in parts:
            part.add_prefix_space = True


def read(
    name: str, where: Path, dtype: torch.dtype, adapter: Path | None = None
) -> tuple[PreTrainedTokenizerBase, PreTrainedModel, dict[str, Any]]:
    """Tokenizer, model and what was missing or left over, as the library reads them from a folder.

    Parameters
    ----------
    name : str
        The subject's, for messages.
    adapter : Path, optional
        The folder of an adapter that is merged into the weights; what it holds is not missing.

    Raises
    ------
    ModelUnavailable, ModelUnsuitable
    """
    if not any((where / file).is_file() for file in _TOKENIZER_FILES):
        raise ModelUnavailable(f"model {name!r} has no tokenizer: none of {', '.join(_TOKENIZER_FILES)} is there")
    for file in sorted(where.glob("*.safetensors")) + sorted(where.glob("tokenizer.json")):
        with file.open("rb") as stream:
            if stream.read(len(_POINTER)) == _POINTER:
                raise ModelUnavailable(
                    f"model {name!r}: {file.name} only points to a file of Git LFS: `git lfs pull` gets it"
                )
    options: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
    try:
        with _quiet():
            config = copy.deepcopy(AutoConfig.from_pretrained(where, **options))
            suitable.architecture(name, config)
            tokenizer = AutoTokenizer.from_pretrained(where, **options)
            for part in byte_levels(tokenizer):
                part.add_prefix_space = True
            if config.model_type not in suitable.TEXT_TO_TEXT:
                suitable.vocabulary(name, tokenizer, config.vocab_size)
                # "[SEP]" in a text is text; where a gap is meant, its id is put there
                tokenizer.split_special_tokens = True
            # ELECTRA's generator is published under the class of its masked-LM head; ModernBERT has no other
            generator = config.model_type == "electra" and any("MaskedLM" in a for a in config.architectures or ())
            masked = generator or config.model_type == "modernbert"
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(0)  # heads that are not in the weights: never used, but part of the model's hash
                model, info = (AutoModelForMaskedLM if masked else AutoModelForPreTraining).from_pretrained(
                    where,
                    config=config,
                    use_safetensors=True,
                    attn_implementation="eager",
                    dtype=dtype if adapter is None else torch.float32,
                    output_loading_info=True,
                    **options,
                )
            if adapter is not None:
                model, brought = adapters.merged(name, model, adapter)
                model = cast(Any, model).to(dtype)
                info["missing_keys"] = {k for k in info["missing_keys"] if k not in brought and ".decoder." not in k}
            variants.apply(model)
    except (ModelUnavailable, ModelUnsuitable):
        raise
    except Exception as error:  # whatever is wrong with a folder, the library has another type of error for it
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = "the shapes of its weights do not fit config.json" if "mismatch" in str(error) else " ".join(said[:2])
        raise ModelUnavailable(f"model {name!r} could not be read: {reason[:300] or type(error).__name__}") from error
    return tokenizer, model, info
