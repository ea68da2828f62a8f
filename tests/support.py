"""A BERT small enough to build in a test: random weights, a WordPiece vocabulary of whole words and a few pieces."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForPreTraining

WORDS = """the a an of to in on is are was were has have and not that who she he it they dog dogs cat cats key keys cabinet
cabinets man men woman women author authors likes like sleeps sleep near robin bird tree . , ? ! " ' - un ##able ##s ##ing ##ly
walk ##ed big small red old young house houses bank river money see sees saw run runs""".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def write_model(
    folder: Path,
    *,
    seed: int = 1,
    nsp: bool = True,
    mlm: bool = True,
    words: Sequence[str] | None = None,
    letters: str = "abcdefghijklmnopqrstuvwxyz",
    cased: bool = False,
    **config,
) -> Path:
    """A model folder as the Hub lays it out: config, tokenizer, safetensors."""
    known = dict.fromkeys([*SPECIAL, *(WORDS if words is None else words), *letters, *("##" + c for c in letters)])
    vocab = {w: i for i, w in enumerate(known)}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased, strip_accents=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(SPECIAL)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": not cased, **names})
    )
    torch.manual_seed(seed)
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 160,
        "initializer_range": 0.2,
    } | config
    model = BertForPreTraining(BertConfig(vocab_size=len(vocab), **sizes))
    state = {
        k: v.contiguous()
        for k, v in model.state_dict().items()
        if k != "cls.predictions.decoder.weight"
        and k != "cls.predictions.decoder.bias"
        and (nsp or "seq_relationship" not in k)
        and (mlm or not k.startswith("cls.predictions"))
    }
    model.save_pretrained(folder, state_dict=state)
    return folder


@cache
def tiny_folder() -> Path:
    import tempfile

    return write_model(Path(tempfile.mkdtemp(prefix="bertology-tiny-")))


@cache
def tiny():
    """The tiny model as a subject (loaded once a test run)."""
    from bertology_utils.subject.models import load

    return load(str(tiny_folder()))


@cache
def shipped_standings() -> tuple:
    """Every claim as the records that come with the package have it (decided once a test run)."""
    from bertology_utils.cards.standing import standings
    from bertology_utils.claims.evidence import SHIPPED
    from bertology_utils.settings import Settings

    return tuple(standings(settings=Settings(evidence=SHIPPED)))


@dataclass(frozen=True)
class Said:
    """What the command said and its exit code."""

    code: int
    out: str
    err: str


def say(patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture, *words: object) -> Said:
    """The command line with these words, in this process."""
    from bertology_utils import cli

    patch.setattr(sys, "argv", ["bertology", *map(str, words)])
    capture.readouterr()
    code = 0
    try:
        cli.main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    read = capture.readouterr()
    return Said(code, read.out, read.err)


NEEDS_MIRROR = [  # the marks of a module in which every test reads released results
    pytest.mark.mirror,
    pytest.mark.skipif(
        not os.environ.get("BERTOLOGY_MIRROR") or not Path(os.environ["BERTOLOGY_MIRROR"]).is_dir(),
        reason="no mirror of the released results (BERTOLOGY_MIRROR)",
    ),
]


def mirror() -> Path:
    """The mirror folder, or the test is skipped with the reason."""
    folder = os.environ.get("BERTOLOGY_MIRROR")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the original data: BERTOLOGY_MIRROR names no folder")
    return Path(folder)


@cache
def multilingual_folder() -> Path:
    """A model in multilingual BERT's shape: cased, its vocabulary the letters of the generated languages."""
    import tempfile

    from bertology_utils.data import load

    said = [s for item in load("translations", "builtin", n=40)["translations"] for s in item.sentences.values()]
    letters = "".join(sorted({c for s in said for w in s.words for c in w}))
    words = ["hat", "haben", "ist", "sind", "kann", "har", "är", "kan", "the", "The", "in"]
    folder = Path(tempfile.mkdtemp(prefix="bertology-multilingual-"))
    return write_model(folder, words=words, letters=letters, cased=True)


@cache
def multilingual():
    """The subject of `multilingual_folder`."""
    from bertology_utils.settings import Settings
    from bertology_utils.subject import models

    return models.load(str(multilingual_folder()), Settings(device="cpu"))
