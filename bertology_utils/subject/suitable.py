"""Is a loaded model what it seems? Checked before anything is measured, since a wrong model gives figures like any other.

What files say is compared with what was loaded (architecture, vocabulary, weights left over), and one trial sentence is
put through: its states must be numbers that tell words apart, its attention must look both ways.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from ..errors import Refusal
from . import variants
from .layout import LAYOUTS

TEXT_TO_TEXT = ("t5",)  # for the claims that ask a model to write
PADDING = 128  # rows by which a table of embeddings may be longer than the vocabulary: tables are padded to round sizes
COMMON = "the of and in to a with on is de la el der die und i v na no o 的 是 в и на ال من の は".split()
CAPITALS = (
    0.01  # of an uncased vocabulary's pieces, with capitals: none but symbols such as [MASK]; of a cased one, some 40 %
)
SHORTEST = 32  # pieces that a row must be able to have: a sentence of twenty words has as many
TRIAL = "the of and in to a"
_WEIGHTS = (
    "encoder.layer.",
    "transformer.layer.",
    "albert_layer_groups.",
    "model.layers.",
    "embeddings.",
    "embedding_hidden_mapping",
)


class ModelUnavailable(Refusal):
    """A model could not be had; the message is one line that says what was tried and what to do."""


class ModelUnsuitable(Refusal):
    """A model lacks what an experiment asks of it, or is not what it seems; the message says in what."""


def architecture(name: str, config: Any) -> None:
    """Refuse what is neither a bidirectional masked language model of BERT's family nor one that maps texts to texts.

    Raises
    ------
    ModelUnsuitable
    """
    kind = getattr(config, "model_type", None)
    if kind in TEXT_TO_TEXT:
        return
    if kind not in LAYOUTS:
        raise ModelUnsuitable(
            f"model {name!r} is of type {kind!r}, which these experiments are not defined for; they are for "
            f"{', '.join(LAYOUTS)}"
        )
    if why := variants.problem(config):
        raise ModelUnsuitable(f"model {name!r}: {why}; it may be of a later version of this package")
    for flag in ("is_decoder", "is_encoder_decoder", "add_cross_attention"):
        if getattr(config, flag, False):
            raise ModelUnsuitable(
                f"model {name!r}: its configuration says {flag}: true, so its attention would not look both ways; "
                "set it to false in config.json if the weights are an encoder's"
            )


def vocabulary(name: str, tokenizer: Any, size: int) -> None:
    """Refuse a tokenizer that is not the model's: other ids, no special tokens, or every word unknown.

    Parameters
    ----------
    size : int
        Rows of the model's table of word embeddings.

    Raises
    ------
    ModelUnsuitable
    """
    if not getattr(tokenizer, "is_fast", False):
        raise ModelUnsuitable(f"model {name!r}: word alignment needs a fast tokenizer (tokenizer.json)")
    lacking = [
        t for t in ("cls_token", "sep_token", "pad_token", "mask_token", "unk_token") if getattr(tokenizer, t) is None
    ]
    if lacking:
        raise ModelUnsuitable(f"model {name!r}: its tokenizer has no {', '.join(lacking)}")
    ids = set(tokenizer.get_vocab().values())
    if max(ids) >= size or not (len(ids) == size or 0 < size - len(ids) < min(PADDING, max(8, size // 50))):
        raise ModelUnsuitable(
            f"model {name!r}: its tokenizer has {len(ids)} pieces with ids up to {max(ids)}, the model {size} word "
            "embeddings: the tokenizer is another model's, or is missing"
        )
    special = {t: getattr(tokenizer, f"{t}_token_id") for t in ("cls", "sep", "pad", "mask", "unk")}
    same = [t for t in ("cls", "sep", "pad", "mask") if special[t] == special["unk"]]
    if same:
        raise ModelUnsuitable(f"model {name!r}: its tokenizer does not know its own {', '.join(same)} token")
    found = {i for ids in tokenizer(COMMON, add_special_tokens=False)["input_ids"] for i in ids}
    if found <= {tokenizer.unk_token_id}:
        raise ModelUnsuitable(f"model {name!r}: every common word is {tokenizer.unk_token} to its tokenizer")
    if tokenizer.model_max_length < SHORTEST:
        raise ModelUnsuitable(
            f"model {name!r}: its tokenizer_config.json says model_max_length {tokenizer.model_max_length}, shorter than many "
            "a sentence; set it to max_position_embeddings of config.json, or leave it out"
        )
    _cased(name, tokenizer)


def _cased(name: str, tokenizer: Any) -> None:
    """Refuse a cased vocabulary whose tokenizer lower-cases every text: its pieces with capitals could never come up."""
    normalizer = tokenizer.backend_tokenizer.normalizer
    if normalizer is None or normalizer.normalize_str("A") != "a":
        return
    pieces = set(tokenizer.get_vocab()) - set(tokenizer.get_added_vocab()) - set(tokenizer.all_special_tokens)
    lost = sorted(p for p in pieces if p != p.lower() and not p.startswith("[unused"))
    if len(lost) > CAPITALS * len(pieces):
        raise ModelUnsuitable(
            f"model {name!r}: its tokenizer lower-cases every text, but {len(lost):,} of its {len(pieces):,} pieces have "
            f"capitals ({', '.join(lost[len(lost) // 2 :][:3])}, ...): it is cased, and tokenizer_config.json must say "
            '"do_lower_case": false'
        )


def left_over(name: str, unexpected: Iterable[str]) -> None:
    """Refuse weights of an encoder that the configuration has no place for: a part of the model would run.

    Raises
    ------
    ModelUnsuitable
    """
    over = sorted(k for k in unexpected if any(part in k for part in _WEIGHTS) and "position_ids" not in k)
    if over:
        raise ModelUnsuitable(
            f"model {name!r}: config.json has no place for {len(over)} of the encoder's weights, first {over[0]} "
            "(fewer layers than the weights?)"
        )


def weights(name: str, model: Any) -> None:
    """Refuse weights that are no numbers, and matrices of the encoder that are one number throughout.

    Raises
    ------
    ModelUnsuitable
        Naming the first.
    """
    for key, tensor in model.state_dict().items():
        if not tensor.is_floating_point():
            continue
        if not bool(torch.isfinite(tensor).all()):
            raise ModelUnsuitable(f"model {name!r}: {key} holds NaN or infinite weights (in {str(tensor.dtype)[6:]})")
        matrix = (tensor.dim() == 2 and any(part in key for part in _WEIGHTS[:4])) or "word_embeddings" in key
        if matrix and bool((tensor == tensor.flatten()[0]).all()):
            value = float(tensor.flatten()[0])
            raise ModelUnsuitable(
                f"model {name!r}: every weight of {key} is {value:g}: nothing was trained, or was lost"
            )


def trial(name: str, base: Any, tokenizer: Any) -> None:
    """Put one sentence through: states that are numbers and tell words apart, attention that looks both ways.

    Raises
    ------
    ModelUnsuitable
    """
    encoded = tokenizer(TRIAL, return_tensors="pt", return_token_type_ids=False).to(base.device)
    first, *_, last = encoded["input_ids"][0].tolist()
    if (first, last) != (tokenizer.cls_token_id, tokenizer.sep_token_id):
        raise ModelUnsuitable(
            f"model {name!r}: its tokenizer puts no {tokenizer.cls_token} and {tokenizer.sep_token} around a sentence, "
            "as all of its training had: tokenizer.json has no post_processor"
        )
    with torch.inference_mode():
        out = base(**encoded, output_attentions=True)
    hidden = out.last_hidden_state[0].float()  # (T, H)
    if not bool(torch.isfinite(hidden).all()):
        raise ModelUnsuitable(f"model {name!r}: a trial sentence gives NaN (with dtype {base.dtype}): try float32")
    if float((hidden - hidden[0]).abs().max()) == 0:
        raise ModelUnsuitable(f"model {name!r}: every word of a trial sentence has the same vector")
    if not out.attentions:
        raise ModelUnsuitable(f"model {name!r} gives no attention maps: its attention is not eager")
    later = max(float(layer[0].float().triu(1).max()) for layer in out.attentions)  # (A, T, T)
    if later == 0:
        raise ModelUnsuitable(f"model {name!r}: its attention only looks back")
